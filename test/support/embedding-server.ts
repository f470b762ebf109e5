// A server on loopback that speaks the embeddings API, answers as a test says, and remembers what it was asked.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format?: string;
  readonly dimensions?: number;
}

export interface EmbeddingReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
  /** `cut`: the connection is destroyed inside the body. `silent`: nothing comes. */
  readonly ending?: "cut" | "silent";
}

export interface EmbeddingServer {
  /** With `/v1`. */
  readonly url: string;
  readonly requests: readonly EmbeddingRequest[];
  readonly keys: readonly (string | undefined)[];
  /** Undefined: vectors. `count` is 1 for the first request. */
  answer: (request: EmbeddingRequest, count: number) => EmbeddingReply | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Vectors have the width that is asked for, or this one. */
export async function startEmbeddingServer(width: number): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as EmbeddingRequest;
      requests.push(body);
      keys.push(request.headers.authorization);
      send(response, started.answer(body, requests.length) ?? { body: vectorsFor(body, width) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started: EmbeddingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    keys,
    answer: () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return started;
}

/** An answer as OpenAI's: one vector per text, of length 2, that points where the text's length says. */
export function vectorsFor({ input, dimensions }: EmbeddingRequest, width: number): { readonly data: object[] } {
  const size = dimensions ?? width;
  const data = input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array.from({ length: size }, (_, place) => (place === text.length % size ? 2 : 0)),
  }));
  return { data };
}

/** A refusal in OpenAI's form. */
export const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers,
  body: { error: { message, type: "invalid_request_error" } },
});

function send(response: ServerResponse, { status = 200, headers = {}, body = "", ending }: EmbeddingReply): void {
  if (ending === "silent") return;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  if (ending === "cut") response.write(text.slice(0, 10), () => response.destroy());
  else response.end(text);
}
