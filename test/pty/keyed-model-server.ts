// A server with one model on Ollama's usual port, which accepts one key: found, and refusing, in a first run.
import { createServer } from "node:http";

/** Ollama's port, which the program searches. */
const port = 11_434;
/** The key that it accepts. */
export const rightKey = "sk-right";

export interface KeyedModelServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Throws if the port is in use. */
export async function createKeyedModelServer(): Promise<KeyedModelServer> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const path = request.url ?? "";
      if (!path.startsWith("/v1/")) return void response.writeHead(404).end();
      if (path === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "tiny" }] }));
      if (request.headers.authorization !== `Bearer ${rightKey}`) return void response.writeHead(401).end();
      response.setHeader("content-type", "text/event-stream");
      const said = body.includes("Call a tool") ? { tool_calls: [call] } : { content: "Hello from tiny." };
      response.end(`${piece({ role: "assistant", ...said }, null)}${piece({}, "stop")}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `No server could be opened at port ${port} (${error.code}): stop what listens there, such as Ollama.`,
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const call = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "core_memory_append", arguments: '{"name":"human","content":"Ada"}' },
};

function piece(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "tiny", choices })}\n\n`;
}
