// A model server that records of each request which thoughts came back. It calls `core_memory_append` three times, one a step, for a
// message that contains "three tools", and says "done" otherwise.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ThinkingServer {
  readonly url: string;
  /** What each request had, in order. */
  readonly requests: readonly SeenRequest[];
  /** Whether requests are left without an answer. */
  hangs: boolean;
  /** Whether requests fail with 401. */
  fails: boolean;
  close(): Promise<void>;
}

interface SeenThoughts {
  /** The refusal; null for an answer. */
  readonly refused: string | null;
  /** Replies of the model with all their thoughts, and the others. */
  readonly thoughts: number;
  readonly withoutThought: number;
  /** The state entries. */
  readonly entries: readonly string[];
}

export interface SeenRequest extends SeenThoughts {
  readonly tools: string;
  /** The whole body. */
  readonly text: string;
}

/** What the server has seen in a body, and how it answers. */
export interface Seen {
  readonly seen: SeenThoughts;
  reply(response: ServerResponse): void;
}

export async function createThinkingServer<Body extends { readonly tools?: unknown }>(
  see: (body: Body) => Seen,
): Promise<ThinkingServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const body = JSON.parse(text) as Body;
      const { seen, reply } = see(body);
      requests.push({ ...seen, tools: JSON.stringify(body.tools), text });
      if (served.fails) response.writeHead(401, { "content-type": "application/json" }).end("{}");
      else if (!served.hangs) reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const served: ThinkingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    hangs: false,
    fails: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return served;
}

let facts = 0;

export function newFact(): string {
  facts += 1;
  return `fact ${facts}`;
}
