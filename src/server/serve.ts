// Serves a host: puts the doors, the limits and the log together, and listens.
// Invariant: a server on an address that other machines can reach is no different: every route but the health checks needs a key.
import { systemClock } from "../base/clock.ts";
import type { Host } from "../runtime/host.ts";
import { apiDoor } from "./api/api-door.ts";
import type { VerifyKey } from "./authenticate.ts";
import { createApp, type RequestLine, type ServedMemory } from "./create-app.ts";
import { Fault } from "./fault.ts";
import { lettaDoor } from "./letta/letta-door.ts";
import { createOpenStreams } from "./open-streams.ts";
import { openAiDoor } from "./openai/openai-door.ts";
import { startServer } from "./start-server.ts";

export interface ServeOptions {
  readonly host: Host;
  readonly verify: VerifyKey;
  readonly version: string;
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  /** Origins of pages that may use the server. Default none besides its own. */
  readonly origins?: readonly string[];
  /** Default 10 MB. */
  readonly maxBodyBytes?: number;
  /** Default 600. */
  readonly maxRequestsPerMinute?: number;
  /** Receives a line for each request. */
  readonly onRequest?: (line: RequestLine) => void;
  /** Answers MCP requests at `/mcp`; default: there is no such path. */
  readonly mcp?: (request: Request, served: ServedMemory) => Promise<Response>;
  /** Receives errors that are not the client's. */
  readonly onFailure?: (requestId: string, error: unknown) => void;
}

export interface Served {
  readonly url: string;
  /**
   * Accepts no more requests, lets running turns end for `graceMs`, interrupts the others, and closes the host. Their streams
   * end with their turns.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Milliseconds in which clients can read the last events of turns that a shutdown ended. */
const lastEventsMs = 3000;

/** Throws ConfigError if the address cannot be used; the host stays open then. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { host, hostname, port, verify, version, origins = [] } = options;
  const users = new Set<string>();
  const streams = createOpenStreams();
  let isClosing = false;
  const app = createApp({
    doors: [apiDoor, openAiDoor, lettaDoor],
    version,
    runtimeOf(userId) {
      if (isClosing)
        throw new Fault(503, "runtime_closing", "The server is shutting down. Send the request again later.");
      users.add(userId);
      return host.forUser(userId);
    },
    health: () => host.health(),
    verify,
    limits: {
      bodyBytes: options.maxBodyBytes ?? 10_000_000,
      requestsPerMinute: options.maxRequestsPerMinute ?? 600,
    },
    address: { isLoopback: isLoopback(hostname), origins },
    clock: systemClock,
    streams,
    onRequest: options.onRequest ?? (() => undefined),
    onFailure: options.onFailure ?? (() => undefined),
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
  });
  const server = await startServer(app, { hostname, port });
  const drain = async (grace: { readonly graceMs?: number }): Promise<void> => {
    isClosing = true;
    // Turns end before the store is closed, so that streams can read the last events.
    await Promise.all([...users].map((userId) => host.forUser(userId).close(grace)));
    await streams.ended(lastEventsMs);
    await host.close(grace);
  };
  return { url: server.url, close: (grace = {}) => server.close(() => drain(grace)) };
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u.test(hostname);
}
