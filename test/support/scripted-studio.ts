// A server that answers as LM Studio does: it loads a model at the first call, and states the window only afterwards.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RawReply } from "./raw-server.ts";

export interface ScriptedStudioOptions {
  /** The window with which it loads the model `tiny`. */
  readonly window: number;
  /** The answer to each call. A reply with a status leaves the model unloaded. */
  readonly reply: RawReply;
}

export async function startScriptedStudio({ window, reply }: ScriptedStudioOptions) {
  let isLoaded = false;
  const facts = { id: "tiny", type: "llm", max_context_length: 131_072, capabilities: ["tool_use"] };
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST" && request.url === "/v1/chat/completions") {
      isLoaded = reply.status === undefined;
      response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
      return void response.end(reply.chunks.join(""));
    }
    const state = isLoaded ? { state: "loaded", loaded_context_length: window } : { state: "not-loaded" };
    const answers: Readonly<Record<string, object>> = {
      "/v1/models": { object: "list", data: [{ id: "tiny", owned_by: "organization_owner" }] },
      "/api/v0/models/tiny": { ...facts, ...state },
    };
    const answer = answers[`${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "not found" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
