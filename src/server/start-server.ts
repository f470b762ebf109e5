// Listens for requests, and stops in order.
// Invariant: when `close` resolves, no connection is open, and nothing that a model answered is lost: the caller closes the host
// in between, which ends the turns and so the streams.
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigError } from "../errors.ts";
import type { Hono } from "hono";

export interface RunningServer {
  /** With the port that was chosen. */
  readonly url: string;
  /** Accepts no more connections, ends idle ones, waits for `drain`, and ends the others. */
  close(drain: () => Promise<void>): Promise<void>;
}

interface ListenOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Throws ConfigError if the address cannot be used. */
export async function startServer(app: Hono, { hostname, port }: ListenOptions): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // A client that sends its headers slowly must not hold a connection for ever.
  server.headersTimeout = 10_000;
  server.requestTimeout = 120_000;
  await listening(server, { hostname, port });
  const { port: chosen, family, address } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `http://${name}:${chosen}`,
    async close(drain) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await drain();
      server.closeIdleConnections();
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
