// A server that answers as Ollama does: it chooses the window when it loads the model, and cuts the beginning of a longer prompt
// without an error.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ScriptedOllamaOptions {
  /** The window that the server gives to models without their own, as `OLLAMA_CONTEXT_LENGTH` does. */
  readonly window: number;
  /** Default: one model, `tiny`, that calls tools. */
  readonly models?: readonly OllamaModel[];
  /** Returns the reply to a prompt. Default: a call of a memory tool to a message that asks for a call, else `Hello from tiny.`. */
  readonly reply?: (request: ChatRequest) => ScriptedReply;
}

export interface OllamaModel {
  readonly name: string;
  /** Default `completion` and `tools`. */
  readonly capabilities?: readonly string[];
  /** The window that it was trained with. Default 131,072. */
  readonly trained?: number;
  /** `PARAMETER num_ctx` of its Modelfile. */
  readonly numCtx?: number;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: string };
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ScriptedOllama {
  /** The address of its OpenAI-compatible API. */
  readonly url: string;
  /** The prompts so far, in tokens, and whether they were cut. */
  readonly prompts: readonly { readonly tokens: number; readonly isCut: boolean; readonly request: ChatRequest }[];
  /** Paths of all requests so far. */
  readonly paths: readonly string[];
  /** Unloads all models; the next window is another. */
  restart(window: number): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const tiny: OllamaModel = { name: "tiny" };

export async function startScriptedOllama(options: ScriptedOllamaOptions): Promise<ScriptedOllama> {
  const { models = [tiny], reply = defaultReply } = options;
  let { window } = options;
  const loaded = new Map<string, number>();
  const prompts: ScriptedOllama["prompts"][number][] = [];
  const paths: string[] = [];
  const named = (name: string): OllamaModel | undefined =>
    models.find((model) => model.name === name || `${model.name}:latest` === name);
  const load = (model: OllamaModel): number => {
    const size = loaded.get(model.name) ?? Math.min(model.numCtx ?? window, trainedOf(model));
    loaded.set(model.name, size);
    return size;
  };

  const routes: Readonly<Record<string, (body: ChatRequest, response: ServerResponse) => void>> = {
    "GET /v1/models": (_body, response) =>
      json(response, {
        object: "list",
        data: models.map(({ name }) => ({ id: `${name}:latest`, owned_by: "library" })),
      }),
    "GET /api/tags": (_body, response) =>
      json(response, { models: models.map(({ name }) => ({ name: `${name}:latest`, model: `${name}:latest` })) }),
    "GET /api/ps": (_body, response) =>
      json(response, { models: [...loaded].map(([name, size]) => ({ name: `${name}:latest`, context_length: size })) }),
    "POST /api/show": ({ model }, response) => show(named(model), response),
    "POST /api/generate": ({ model }, response) => {
      const found = named(model);
      if (found === undefined) return json(response, { error: "model not found" }, 404);
      load(found);
      json(response, { model, response: "", done: true, done_reason: "load" });
    },
    "POST /v1/chat/completions": (request, response) => {
      const found = named(request.model);
      if (found === undefined) return json(response, { error: { message: "model not found" } }, 404);
      if (request.tools !== undefined && found.capabilities?.includes("tools") === false) {
        return json(response, { error: { message: `${request.model} does not support tools` } }, 400);
      }
      const size = load(found);
      // Four characters a token, as real tokenizers on average.
      const tokens = Math.ceil(
        (JSON.stringify(request.messages).length + JSON.stringify(request.tools ?? []).length) / 4,
      );
      prompts.push({ tokens, isCut: tokens > size, request });
      stream(response, reply(request), Math.min(tokens, size));
    },
  };

  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = `${request.method} ${request.url}`;
    paths.push(path);
    const route = routes[path];
    if (route === undefined) json(response, { error: "not found" }, 404);
    else route(JSON.parse(body === "" ? "{}" : body) as ChatRequest, response);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts,
    paths,
    restart(next) {
      window = next;
      loaded.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function trainedOf({ trained = 131_072 }: OllamaModel): number {
  return trained;
}

function defaultReply({ tools = [], messages }: ChatRequest): ScriptedReply {
  const last = messages.at(-1);
  const isAsked = last?.role === "user" && JSON.stringify(last.content).includes("Call a tool");
  const tool = tools.find(({ function: { name } }) => /append|remember/u.test(name));
  if (!isAsked || tool === undefined) return { text: "Hello from tiny." };
  return {
    call: { name: tool.function.name, arguments: JSON.stringify({ name: "human", content: "Ada", fact: "Ada" }) },
  };
}

function show(model: OllamaModel | undefined, response: ServerResponse): void {
  if (model === undefined) return json(response, { error: "model not found" }, 404);
  const { capabilities = ["completion", "tools"], numCtx } = model;
  json(response, {
    details: { family: "llama" },
    model_info: { "general.architecture": "llama", "llama.context_length": trainedOf(model) },
    capabilities,
    ...(numCtx === undefined
      ? {}
      : { parameters: `stop                           "<|end|>"\nnum_ctx                        ${numCtx}` }),
  });
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, { text: said, call }: ScriptedReply, promptTokens: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice: object, usage?: object): void => {
    const choices = [{ index: 0, finish_reason: null, ...choice }];
    const chunk = {
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "tiny",
      choices,
      ...(usage && { usage }),
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  if (said !== undefined) send({ delta: { role: "assistant", content: said } });
  if (call !== undefined) {
    send({ delta: { role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] } });
  }
  const usage = { prompt_tokens: promptTokens, completion_tokens: 5, total_tokens: promptTokens + 5 };
  send({ delta: {}, finish_reason: call === undefined ? "stop" : "tool_calls" }, usage);
  response.end("data: [DONE]\n\n");
}
