// Finds the addresses of clients, and limits the number of connections that have not sent a valid key yet.
// Invariant: this limit never ends a connection that has sent a valid key. If too many other connections are open, it
// ends the oldest of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP, isIPv6, type Socket } from "node:net";
import type { Context } from "hono";

/** The properties that the Node adapter adds to a request; absent in a test without a socket. */
interface NodeBindings {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

/** Calls `then` after the response was sent or the client has left; at once if there is no socket. */
export function onceSent({ env }: Context, then: () => void): void {
  const outgoing = (env as NodeBindings | undefined)?.outgoing;
  if (outgoing === undefined || outgoing.closed) then();
  else outgoing.once("close", then);
}

export function socketOf({ env }: Context): Socket | null {
  return (env as NodeBindings | undefined)?.incoming?.socket ?? null;
}

/**
 * Returns the address of a client; for IPv6, only its network. If a proxy on this machine forwarded the request, this is the
 * last address in `X-Forwarded-For`, which the proxy has added.
 */
export function addressOf(context: Context): string {
  const peer = withoutMapping(socketOf(context)?.remoteAddress ?? "");
  const forwarded = context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return networkOf(isLocal(peer) && isIP(forwarded) !== 0 ? withoutMapping(forwarded) : peer);
}

function isLocal(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}

/** Returns the first 64 bits of an IPv6 address, because one client can use all addresses with the same 64 bits. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = ""] = address.split("::");
  return head.split(":").slice(0, 4).join(":");
}

export interface UnprovenConnections {
  /** Counts a new connection, and ends the oldest one if there are too many. */
  add(socket: Socket): void;
  /** Stops counting a connection, because it has sent a valid key. */
  prove(socket: Socket): void;
}

/** Creates the limit. `max`: maximum number of open connections without a valid key. */
export function createUnprovenConnections(max: number): UnprovenConnections {
  const unproven = new Set<Socket>();
  return {
    add(socket) {
      unproven.add(socket);
      socket.once("close", () => unproven.delete(socket));
      if (unproven.size <= max) return;
      const oldest = unproven.values().next().value as Socket;
      unproven.delete(oldest);
      oldest.destroy();
    },
    prove: (socket) => void unproven.delete(socket),
  };
}
