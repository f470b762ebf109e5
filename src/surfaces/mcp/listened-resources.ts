// Reads a client's messages for the resources to which the client subscribes by `subscriptions/listen` (MCP version of 2026).
// Invariant: messages are not changed. The SDK answers `subscriptions/listen` itself, and does not report the resources.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface ListenedResources {
  /** Returns a transport that reads the messages of `transport` and passes them on. */
  through(transport: Transport): Transport;
  /**
   * Calls the listener with the URIs that the client listens to, now and after each change. A new listener replaces the former
   * one.
   */
  watch(listener: (uris: readonly string[]) => void): void;
}

const listenParams = z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) });

export function createListenedResources(): ListenedResources {
  /** The URIs of each request `subscriptions/listen`, by the request's id. */
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
