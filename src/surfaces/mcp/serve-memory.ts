// Serves memory over a pair of streams, such as the standard ones, or over HTTP, one request at a time.
// Invariant: only the protocol is written to the output; the end of the input ends the server. Between requests over HTTP no
// state is kept, so any process can answer the next request.
import type { Readable, Writable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { MemoryServerOptions } from "./connection.ts";
import { createListenedResources } from "./listened-resources.ts";
import { createMemoryServer } from "./memory-server.ts";

export interface ServeMemoryOptions extends MemoryServerOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends the server when aborted. */
  readonly signal: AbortSignal;
  /** Receives errors that are not the answer to a request. */
  readonly onError: (error: Error) => void;
}

/** Serves until the input has ended or the signal is aborted. */
export async function serveMemory({ stdin, stdout, signal, onError, ...options }: ServeMemoryOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    stdout.once("error", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const listened = createListenedResources();
  const transport = listened.through(new StdioServerTransport(stdin, stdout));
  const server = serveStdio(() => createMemoryServer({ ...options, listened }), { transport, onerror: onError });
  await ended;
  await server.close();
}

/**
 * Answers a request of Streamable HTTP without sessions, for the MCP version of 2026 and older ones. `maxBytes`: maximum bytes
 * of a body.
 */
export async function serveMemoryRequest(
  request: Request,
  options: MemoryServerOptions & { readonly maxBytes: number },
): Promise<Response> {
  const handler = createMcpHandler(() => createMemoryServer(options), { maxRequestBodySize: options.maxBytes });
  return handler.fetch(request);
}
