// Serves a host: assembles the doors, the limits and the log, and listens.
// Invariant: on every address, only these routes need no key: the health checks, the OpenAPI documents, and the inspector,
// which gets the local key for a one-time code. When `close` resolves, no connection is open and no reply of a model is
// lost, because turns end before their streams and the store are closed. Meanwhile the server answers requests with the
// fault for a shutdown.
import path from "node:path";
import { systemClock } from "../../base/clock.ts";
import { packageRoot } from "../../base/package-root.ts";
import type { Host } from "../../runtime/host.ts";
import { apiDoor } from "./api/api-door.ts";
import { chatDoor } from "./chat/chat-door.ts";
import { createUnprovenConnections } from "./connection.ts";
import { createApp, type RequestLine, type ServedMemory } from "./create-app.ts";
import { createInspectorCodes } from "./inspector/inspector-codes.ts";
import { createInspectorFiles } from "./inspector/inspector-files.ts";
import type { VerifyKey } from "./authenticate.ts";
import { lettaDoor } from "./letta/letta-door.ts";
import { createRequestMetrics, metricsApp } from "./metrics.ts";
import { openAiDoor } from "./openai/openai-door.ts";
import { createUserShares, type ShareLimits } from "./user-shares.ts";
import type { AddressInfo, Socket } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigError } from "../../base/errors.ts";
import type { Hono } from "hono";

export interface ServeOptions {
  readonly host: Host;
  readonly verify: VerifyKey;
  readonly version: string;
  readonly hostname: string;
  /** The port; 0: any free port. */
  readonly port: number;
  /** Origins of pages that may use the server, besides its own. Default: none. */
  readonly origins?: readonly string[];
  /** Maximum bytes of a body. Default 10 MB. */
  readonly maxBodyBytes?: number;
  /** The limits of each user. An absent limit has its default. */
  readonly share?: Partial<ShareLimits>;
  /** The port, at the same address, of the Prometheus counters; 0: any free port. Default: they are not served. */
  readonly metricsPort?: number;
  readonly onRequest?: (line: RequestLine) => void;
  /** The data folder, in which `palimpsest inspect` writes its codes. Default: no code is accepted. */
  readonly dataDir?: string;
  /** Answers MCP requests at `/mcp`; default: there is no such path. */
  readonly mcp?: (request: Request, served: ServedMemory) => Promise<Response>;
  /** Receives errors that the client did not cause. */
  readonly onFailure?: (requestId: string, error: unknown) => void;
}

export interface Served {
  readonly url: string;
  /** The address of the counters; null if they are not served. */
  readonly metricsUrl: string | null;
  /**
   * Refuses new requests, lets running requests and turns end for `graceMs` milliseconds (default 5,000), interrupts turns that
   * still run, and closes the host. Streams end with their turns. Meanwhile `/ready` answers 503.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** The default limits, for a program that serves a host without settings. The settings have the same defaults. */
const defaultShare: ShareLimits = { requestsPerMinute: 600, requests: 32, streams: 64, bytes: 32_000_000 };

/** Maximum number of connections that have not sent a valid key. */
const maxUnproven = 512;

/** Milliseconds for clients to read the last events of turns that a shutdown has ended. */
const lastEventsMs = 3000;

/** Starts the server, and returns it. Throws ConfigError if an address cannot be used; the host then stays open. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { host, hostname, port, verify, version, origins = [], metricsPort } = options;
  const users = new Set<string>();
  const shares = createUserShares({ ...defaultShare, ...options.share }, systemClock);
  const connections = createUnprovenConnections(maxUnproven);
  const requests = createRequestMetrics();
  let isClosing = false;
  const app = createApp({
    doors: [chatDoor, apiDoor, openAiDoor, lettaDoor],
    version,
    runtimeOf(userId) {
      users.add(userId);
      return host.forUser(userId);
    },
    health: () => host.health(),
    isDraining: () => isClosing,
    verify,
    shares,
    connections,
    maxBodyBytes: options.maxBodyBytes ?? 10_000_000,
    address: { isLoopback: isLoopback(hostname), origins },
    clock: systemClock,
    onRequest(line) {
      requests.record(line);
      options.onRequest?.(line);
    },
    onFailure: options.onFailure ?? (() => undefined),
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    ...(options.dataDir === undefined ? {} : { inspectorCodes: createInspectorCodes(options.dataDir, systemClock) }),
    inspector: createInspectorFiles(path.join(packageRoot(), "dist", "inspector")),
  });
  const server = await startServer(app, { hostname, port, onConnection: connections.add });
  const stop = new AbortController();
  void host.continueTurns({ signal: stop.signal });
  const startCounters = async () =>
    metricsPort === undefined ? null : startServer(metricsApp({ host, requests }), { hostname, port: metricsPort });
  const metrics = await startCounters().catch(async (error) => {
    await server.close(async () => undefined);
    stop.abort();
    throw error;
  });
  const drain = async (graceMs: number): Promise<void> => {
    isClosing = true;
    stop.abort();
    const began = performance.now();
    await shares.requestsEnded(graceMs);
    const grace = { graceMs: Math.max(0, graceMs - (performance.now() - began)) };
    // Turns end before the store is closed, so that streams can read the last events.
    await Promise.all([...users].map((userId) => host.forUser(userId).close(grace)));
    await Promise.all([shares.requestsEnded(lastEventsMs), shares.streamsEnded(lastEventsMs)]);
    await metrics?.close(async () => undefined);
    await host.close(grace);
  };
  return {
    url: server.url,
    metricsUrl: metrics === null ? null : `${metrics.url}/metrics`,
    close: ({ graceMs = 5000 } = {}) => server.close(() => drain(graceMs)),
  };
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u.test(hostname);
}

interface ListenOptions {
  readonly hostname: string;
  /** The port; 0: any free port. */
  readonly port: number;
  /** Receives each new connection. */
  readonly onConnection?: (socket: Socket) => void;
  /** Milliseconds in which a client must have sent the headers of a request. Default 10,000. */
  readonly headersMs?: number;
}

/** Milliseconds in which a client must have sent a whole request. */
const requestMs = 120_000;

/**
 * Milliseconds that an idle connection stays open: longer than the minute for which load balancers keep connections. A new
 * connection to a busy server waits for seconds, because Node accepts one connection per iteration of its event loop.
 */
const idleMs = 75_000;

/** Starts listening. Throws ConfigError if the address cannot be used. */
export async function startServer(app: Hono, listen: ListenOptions) {
  const { hostname, port, onConnection, headersMs = 10_000 } = listen;
  // By default, Node checks only every 30 s whether a client has exceeded one of the time-outs below.
  const connectionsCheckingInterval = Math.min(1000, headersMs);
  const timeouts = { headersTimeout: headersMs, requestTimeout: requestMs, keepAliveTimeout: idleMs };
  const serverOptions = { ...timeouts, connectionsCheckingInterval };
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server;
  if (onConnection !== undefined) server.on("connection", onConnection);
  await listening(server, { hostname, port });
  const { port: chosen, family, address } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    /** The server's address, with the port that was chosen. */
    url: `http://${name}:${chosen}`,
    /** Waits for `drain`, then accepts no more connections and ends the open ones. */
    async close(drain: () => Promise<void>): Promise<void> {
      await drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, { hostname, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = "Another program uses the port: choose another one.";
      const advice = error.code === "EADDRINUSE" ? taken : `The system reports ${error.code ?? error.message}.`;
      reject(new ConfigError(`Cannot listen on ${hostname}, port ${port}. ${advice}`, { cause: error }));
    });
    server.listen(port, hostname, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}
