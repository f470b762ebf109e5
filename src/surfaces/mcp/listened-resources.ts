// The resources that a client of the protocol of 2026 listens to.
// Invariant: it only reads. The SDK answers `subscriptions/listen` itself, and does not say which resources were named.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface ListenedResources {
  /** Returns the transport with its messages read on their way. */
  through(transport: Transport): Transport;
  /** Calls the listener with the URIs that are listened to, now and when they change. The last listener counts. */
  watch(listener: (uris: readonly string[]) => void): void;
}

const listenParams = z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) });

export function createListenedResources(): ListenedResources {
  /** By the ids of the requests. */
  const listened = new Map<unknown, readonly string[]>();
  let report: Parameters<ListenedResources["watch"]>[0] = () => undefined;
  const uris = () => [...new Set([...listened.values()].flat())];

  function read(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (message.method === "subscriptions/listen" && "id" in message) {
      const { data } = listenParams.safeParse(message.params);
      listened.set(message.id, data?.notifications.resourceSubscriptions ?? []);
    } else if (message.method !== "notifications/cancelled" || !listened.delete(message.params?.["requestId"])) return;
    report(uris());
  }

  return {
    through(transport) {
      const wire: Transport = {
        start() {
          transport.onclose = () => wire.onclose?.();
          transport.onerror = (error) => wire.onerror?.(error);
          transport.onmessage = (message, extra) => {
            read(message);
            wire.onmessage?.(message, extra);
          };
          return transport.start();
        },
        send: (message, options) => transport.send(message, options),
        close: () => transport.close(),
      };
      return wire;
    },
    watch(listener) {
      report = listener;
      listener(uris());
    },
  };
}
