// A server on loopback that answers with exactly the bytes it was given, for what a mock of a provider cannot do:
// streams that end cleanly in the middle, errors inside a stream, answers that never come.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How one request is answered. */
export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other. */
  readonly chunks: readonly string[];
  /** `close` (default): the body ends. `destroy`: the connection is cut. `hang`: nothing more comes.
   * `silent`: nothing comes at all. */
  readonly ending?: "close" | "destroy" | "hang" | "silent";
}

export interface RawServer {
  readonly url: string;
  /** How often a connection was closed by the client before the answer was whole. */
  readonly abandoned: () => number;
  /** Requests so far. */
  readonly requests: () => number;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Answers the requests of a method in order; the last reply is repeated. Other requests are not counted, and find nothing: models
 * are called by POST, and listed by GET.
 */
export async function startRawServer(
  replies: readonly RawReply[],
  method: "GET" | "POST" = "POST",
): Promise<RawServer> {
  let count = 0;
  let abandoned = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== method) return void response.writeHead(404).end();
    response.on("close", () => {
      if (!response.writableFinished) abandoned += 1;
    });
    request.on("end", () => {
      const reply = replies[Math.min(count, replies.length - 1)];
      count += 1;
      if (reply !== undefined) void answer(response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    abandoned: () => abandoned,
    requests: () => count,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(response: ServerResponse, reply: RawReply): Promise<void> {
  if (reply.ending === "silent") return;
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  for (const chunk of reply.chunks) {
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (reply.ending === "destroy") response.destroy();
  if (reply.ending === undefined || reply.ending === "close") response.end();
}

export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Server-sent events as Anthropic and the Responses API write them, named by their `type`. */
export const namedEvents = (events: readonly WireEvent[]): string[] =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/** Server-sent events as Chat Completions servers write them. */
export const plainEvents = (events: readonly unknown[]): string[] =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
