// Serves a host: puts the doors, the limits and the log together, and listens.
// Invariant: a server on an address that other machines can reach is no different: every route but the health checks needs a key.
import path from "node:path";
import { systemClock } from "../base/clock.ts";
import { packageRoot } from "../base/package-root.ts";
import type { Host } from "../runtime/host.ts";
import { apiDoor } from "./api/api-door.ts";
import type { VerifyKey } from "./authenticate.ts";
import { chatDoor } from "./chat/chat-door.ts";
import { createApp, type RequestLine, type ServedMemory } from "./create-app.ts";
import { Fault } from "./fault.ts";
import { createInspectorCodes } from "./inspector/inspector-codes.ts";
import { createInspectorFiles } from "./inspector/inspector-files.ts";
import { lettaDoor } from "./letta/letta-door.ts";
import { createRequestMetrics, metricsApp, type RequestMetrics } from "./metrics.ts";
import { createOpenStreams } from "./open-streams.ts";
import { openAiDoor } from "./openai/openai-door.ts";
import { type RunningServer, startServer } from "./start-server.ts";

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
  /** Serves counters for Prometheus at this port of the same address, 0: any free one. Default: nowhere. */
  readonly metricsPort?: number;
  /** Receives a line for each request. */
  readonly onRequest?: (line: RequestLine) => void;
  /** The data folder, in which `palimpsest inspect` writes its codes. Default: no code is accepted. */
  readonly dataDir?: string;
  /** Answers MCP requests at `/mcp`; default: there is no such path. */
  readonly mcp?: (request: Request, served: ServedMemory) => Promise<Response>;
  /** Receives errors that are not the client's. */
  readonly onFailure?: (requestId: string, error: unknown) => void;
}

export interface Served {
  readonly url: string;
  /** Null if the counters are not served. */
  readonly metricsUrl: string | null;
  /**
   * Accepts no more requests, lets running turns end for `graceMs`, interrupts the others, and closes the host. Their streams
   * end with their turns.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Milliseconds in which clients can read the last events of turns that a shutdown ended. */
const lastEventsMs = 3000;

/** Throws ConfigError if an address cannot be used; the host stays open then. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { host, hostname, port, verify, version, origins = [] } = options;
  const users = new Set<string>();
  const streams = createOpenStreams();
  const requests = createRequestMetrics();
  let isClosing = false;
  const app = createApp({
    doors: [chatDoor, apiDoor, openAiDoor, lettaDoor],
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
    onRequest(line) {
      requests.record(line);
      options.onRequest?.(line);
    },
    onFailure: options.onFailure ?? (() => undefined),
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    ...(options.dataDir === undefined ? {} : { inspectorCodes: createInspectorCodes(options.dataDir, systemClock) }),
    inspector: createInspectorFiles(path.join(packageRoot(), "dist", "inspector")),
  });
  const server = await startServer(app, { hostname, port });
  const metrics = await startMetrics({ host, requests, hostname, port: options.metricsPort }, server);
  const drain = async (grace: { readonly graceMs?: number }): Promise<void> => {
    isClosing = true;
    // Turns end before the store is closed, so that streams can read the last events.
    await Promise.all([...users].map((userId) => host.forUser(userId).close(grace)));
    await streams.ended(lastEventsMs);
    await metrics?.close(async () => undefined);
    await host.close(grace);
  };
  return {
    url: server.url,
    metricsUrl: metrics === null ? null : `${metrics.url}/metrics`,
    close: (grace = {}) => server.close(() => drain(grace)),
  };
}

interface Counted {
  readonly host: Host;
  readonly requests: RequestMetrics;
  readonly hostname: string;
  readonly port: number | undefined;
}

/** Starts the server of the counters beside another one, which is closed if that fails. */
async function startMetrics(
  { host, requests, hostname, port }: Counted,
  beside: RunningServer,
): Promise<RunningServer | null> {
  if (port === undefined) return null;
  try {
    return await startServer(metricsApp({ host, requests }), { hostname, port });
  } catch (error) {
    await beside.close(async () => undefined);
    throw error;
  }
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u.test(hostname);
}
