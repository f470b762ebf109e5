// Serves memory over HTTP, one request at a time: streamable HTTP without sessions, for both eras of the protocol.
// Invariant: nothing is kept between requests, so any process can answer the next one.
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { MemoryServerOptions } from "./connection.ts";
import { createMemoryServer } from "./memory-server.ts";

/** `maxBytes`: longest body. */
export async function serveMemoryRequest(
  request: Request,
  options: MemoryServerOptions & { readonly maxBytes: number },
): Promise<Response> {
  const handler = createMcpHandler(() => createMemoryServer(options), { maxRequestBodySize: options.maxBytes });
  return handler.fetch(request);
}
