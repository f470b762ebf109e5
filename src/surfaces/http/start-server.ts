// Listens for requests, and stops in order.
// Invariant: when `close` resolves, no connection is open and no reply of a model is lost: the caller closes the host in
// `drain`, which ends the turns and so their streams. Until then the server answers requests with the fault for a shutdown.
import type { AddressInfo, Socket } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigError } from "../../base/errors.ts";
import type { Hono } from "hono";

export interface RunningServer {
  /** The server's address, with the port that was chosen. */
  readonly url: string;
  /** Waits for `drain`, then accepts no more connections and ends the open ones. */
  close(drain: () => Promise<void>): Promise<void>;
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

/** Starts listening. Throws ConfigError if the address cannot be used. */
export async function startServer(app: Hono, listen: ListenOptions): Promise<RunningServer> {
  const { hostname, port, onConnection, headersMs = 10_000 } = listen;
  // Node checks for slow clients every 30 s by default, whatever the time-outs are.
  const connectionsCheckingInterval = Math.min(1000, headersMs);
  const serverOptions = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval };
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server;
  if (onConnection !== undefined) server.on("connection", onConnection);
  await listening(server, { hostname, port });
  const { port: chosen, family, address } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `http://${name}:${chosen}`,
    async close(drain) {
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
      const taken = "Another program uses it: choose another port.";
      const advice = error.code === "EADDRINUSE" ? taken : `The system reports ${error.code ?? error.message}.`;
      reject(new ConfigError(`Cannot listen on ${hostname}, port ${port}. ${advice}`, { cause: error }));
    });
    server.listen(port, hostname, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}
