// A server that speaks Chat Completions and answers when a test says so: for what happens in the middle of a model call.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HeldModelServer {
  readonly url: string;
  /** Resolves when the model has been asked and has said its first word. */
  asked(): Promise<void>;
  /** Says more. */
  say(text: string): void;
  /** Thinks more. */
  think(text: string): void;
  /** Says the rest, `, then.` unless given, and ends all replies. */
  finish(rest?: string): void;
  close(): Promise<void>;
}

/** `first`: what the model sends when it is asked, `Well` unless given. */
export async function createHeldModelServer(first: object = { content: "Well" }): Promise<HeldModelServer> {
  let report = (): void => undefined;
  const asked = new Promise<void>((resolve) => (report = resolve));
  let open: ServerResponse[] = [];
  const send = (delta: object): void => {
    for (const response of open) response.write(chunk({ delta, finish_reason: null }));
  };
  const say = (text: string): void => send({ content: text });
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method !== "POST") return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ delta: { role: "assistant", ...first }, finish_reason: null }));
      open.push(response);
      report();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    say,
    think: (text) => send({ reasoning_content: text }),
    finish(rest = ", then.") {
      say(rest);
      for (const response of open) {
        response.write(chunk({ delta: {}, finish_reason: "stop" }));
        response.end("data: [DONE]\n\n");
      }
      open = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function chunk(choice: object): string {
  const body = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "held",
    choices: [{ index: 0, ...choice }],
  };
  return `data: ${JSON.stringify(body)}\n\n`;
}
