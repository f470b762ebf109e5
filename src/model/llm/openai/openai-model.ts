// Implements the Model port for OpenAI's two APIs and compatible servers: streams replies, and does not retry calls. The
// SDK is loaded with the first request, so that importing this file is cheap.
import { randomUUID } from "node:crypto";
import type * as openai from "openai";
import type OpenAI from "openai";
import { hasFiles } from "../../../base/message/message.ts";
import type { AdapterOptions } from "../model-provider.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { describeProvider, type Provider } from "../failure/model-errors.ts";
import { loadFiles, type WireFiles } from "../wire/load-files.ts";
import { type SentContent, withoutRefused } from "../wire/refused-content.ts";
import type { StreamOptions } from "../retry/retrying-model.ts";
import { createBoundedFetch, readWire, withoutCustomHeaders } from "../wire/wire-stream.ts";
import { createTemperatureNote } from "../wire/thinking.ts";
import { isOpenAIHost, openaiRules, type OpenAIRules } from "./openai-rules.ts";
import { openaiIdentity } from "./openai-identity.ts";
import { openaiFileRules } from "./file-rules.ts";
import { fromChatStream, watchForDone } from "./from-chat-stream.ts";
import { fromResponsesStream } from "./from-responses-stream.ts";
import { type ChatRequestOptions, toChatRequest } from "./to-chat-request.ts";
import { toResponsesRequest } from "./to-responses-request.ts";

export interface OpenAIModelOptions extends AdapterOptions {
  /** Compatible servers implement `chat` (Chat Completions). */
  readonly api: "responses" | "chat";
}

type Sdk = typeof openai;

interface Connection {
  readonly sdk: Sdk;
  readonly client: () => OpenAI;
  readonly provider: Provider;
  readonly origin: string;
  /** The request's files in wire form; undefined for a request without files. */
  readonly files: WireFiles | undefined;
  readonly rules: OpenAIRules;
  readonly noteTemperature: ReturnType<typeof createTemperatureNote>;
}

/** Creates a model of OpenAI or of a compatible server. Its calls throw ModelErrors, which `withRetries` retries. */
export function createOpenAIModel(options: OpenAIModelOptions): Model {
  const { model, apiKey, baseUrl, inputs = [] } = options;
  const name = `openai/${model}`;
  const provider = describeProvider({ ...openaiIdentity, model, apiKey, baseUrl });
  const streamOf =
    options.api === "responses" ? streamResponses : streamChat(isOpenAIHost(baseUrl) ? openaiChat : otherChat);
  const rules = openaiRules(model, baseUrl);
  const noteTemperature = createTemperatureNote(name, options.log ?? (() => {}));

  async function* stream(request: ModelRequest, streamOptions: StreamOptions): AsyncGenerator<ModelEvent> {
    const sdk = await import("openai");
    const connection: Connection = {
      sdk,
      client: () => createClient(sdk, { ...options, ...streamOptions, provider }),
      provider,
      origin: name,
      files: hasFiles(request.messages) ? await loadFiles(request, openaiFileRules(options.api, inputs)) : undefined,
      rules,
      noteTemperature,
    };
    yield* streamOf(connection, request, streamOptions);
  }

  return { name, contextWindow: options.contextWindow, stream };
}

type StreamOf = (connection: Connection, request: ModelRequest, options: StreamOptions) => AsyncGenerator<ModelEvent>;

const streamResponses: StreamOf = (connection, request, options) => {
  const { sdk, provider, origin, files, rules } = connection;
  const send = async (content: SentContent): Promise<AsyncIterable<OpenAI.Responses.ResponseStreamEvent>> => {
    const body = toResponsesRequest(request, { model: provider.model, origin, rules, ...content });
    if (request.temperature !== undefined) connection.noteTemperature(request.temperature, body);
    return connection.client().responses.create(body, { signal: options.signal ?? null });
  };
  const { open, refused } = withoutRefused(request, { sdk, files, send });
  return fromResponsesStream(readWire({ provider, sdk, open }, options), { origin, provider, refused });
};

const streamChat =
  (dialect: ChatDialect): StreamOf =>
  (connection, request, options) => {
    const { sdk, provider, origin, files: loaded, rules } = connection;
    let isDone = (): boolean => false;
    const send = async ({ files }: SentContent): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> => {
      const { Stream } = await import("openai/streaming");
      const body = toChatRequest(request, { model: provider.model, origin, rules, ...dialect, files });
      if (request.temperature !== undefined) connection.noteTemperature(request.temperature, body);
      const client = connection.client();
      const response = await client.chat.completions.create(body, { signal: options.signal ?? null }).asResponse();
      const watched = watchForDone(response);
      isDone = watched.isDone;
      return Stream.fromSSEResponse<OpenAI.ChatCompletionChunk>(watched.response, new AbortController(), client);
    };
    // A chat request without files has no content that could be left out after a refusal.
    const whole = { withoutThoughts: false, files: undefined };
    const open = loaded === undefined ? () => send(whole) : withoutRefused(request, { sdk, files: loaded, send }).open;
    const newCallId = (): string => `call_${randomUUID().replaceAll("-", "")}`;
    const answersResults = request.messages.at(-1)?.role === "tool";
    const events = readWire({ provider, sdk, open }, options);
    return fromChatStream(events, { origin, answersResults, isDone: () => isDone(), newCallId });
  };

type ChatDialect = Pick<ChatRequestOptions, "limitField" | "stateChannel">;

/** OpenAI and Azure accept a system message at any position. Other servers may not, so state entries are joined to messages. */
const openaiChat: ChatDialect = { limitField: "max_completion_tokens", stateChannel: "system" };
const otherChat: ChatDialect = { limitField: "max_tokens", stateChannel: "joined" };

// Sets every option that the SDK would otherwise read from the environment, so that only the configuration counts. The
// SDK's log is off because it prints requests and responses. Each request has a client of its own, whose `fetch` reports the
// activity of this request.
function createClient(sdk: Sdk, options: OpenAIModelOptions & StreamOptions & { readonly provider: Provider }): OpenAI {
  return withoutCustomHeaders(
    new sdk.OpenAI({
      apiKey: options.apiKey || "none",
      baseURL: options.baseUrl ?? openaiIdentity.url,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: "off",
      fetch: createBoundedFetch(options),
    }),
  );
}
