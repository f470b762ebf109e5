// Serves memory over a pair of streams, such as the standard ones, or over HTTP, one request at a time.
// Invariant: nothing but the protocol is written to the output; the end of the input ends the server. Between requests over HTTP
// nothing is kept, so any process can answer the next one.
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
  /** Receives errors that are no answer to a request. */
  readonly onError: (error: Error) => void;
}

/** Resolves when the input has ended or the signal was aborted. */
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

/** Streamable HTTP without sessions, for both eras of the protocol. `maxBytes`: longest body. */
export async function serveMemoryRequest(
  request: Request,
  options: MemoryServerOptions & { readonly maxBytes: number },
): Promise<Response> {
  const handler = createMcpHandler(() => createMemoryServer(options), { maxRequestBodySize: options.maxBytes });
  return handler.fetch(request);
}
