// Implements the Model port for Anthropic's Messages API: streams replies, and does not retry calls. The SDK is loaded
// with the first request, so that importing this file is cheap.
import type Anthropic from "@anthropic-ai/sdk";
import { hasFiles } from "../../../base/message/message.ts";
import type { AdapterOptions } from "../model-provider.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { describeProvider, type Provider } from "../failure/model-errors.ts";
import { createBoundedFetch, readWire, withoutCustomHeaders } from "../wire/wire-stream.ts";
import { loadFiles } from "../wire/load-files.ts";
import { type SentContent, withoutRefused } from "../wire/refused-content.ts";
import type { StreamOptions } from "../retry/retrying-model.ts";
import { createTemperatureNote } from "../wire/thinking.ts";
import { anthropicIdentity } from "./anthropic-identity.ts";
import { claudeRules } from "./claude-rules.ts";
import { cacheBeta, createCacheDiagnosis } from "./cache-diagnosis.ts";
import { anthropicFileRules } from "./file-blocks.ts";
import { fromAnthropicStream } from "./from-stream.ts";
import { prefixOfReply } from "./request-prefix.ts";
import { originOf, toAnthropicRequest } from "./to-request.ts";

/** Creates an Anthropic model. Default inputs: images and PDF. Its calls throw ModelErrors, which `withRetries` retries. */
export function createAnthropicModel(options: AdapterOptions): Model {
  const { model, apiKey, baseUrl, inputs = ["image", "pdf"], log = () => {} } = options;
  const name = `anthropic/${model}`;
  const provider = describeProvider({ ...anthropicIdentity, model, apiKey, baseUrl });
  // The option `dropping` is sent only to Anthropic's own address, because other servers may not know it.
  const { isBound } = claudeRules(model);
  const dropsThoughts = baseUrl === undefined && isBound;
  const noteTemperature = createTemperatureNote(name, log);
  const cache = baseUrl === undefined ? createCacheDiagnosis() : null;

  async function* stream(request: ModelRequest, streamOptions: StreamOptions): AsyncGenerator<ModelEvent> {
    const sdk = await import("@anthropic-ai/sdk");
    const files = hasFiles(request.messages) ? await loadFiles(request, anthropicFileRules(inputs)) : undefined;
    let origin = name;
    const send = async (content: SentContent): Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>> => {
      const client = createClient(sdk.Anthropic, { ...options, ...streamOptions, provider });
      const body = toAnthropicRequest(request, { model, origin: name, ...content });
      if (request.temperature !== undefined) noteTemperature(request.temperature, body);
      if (isBound) origin = originOf(name, prefixOfReply(body));
      const drops = dropsThoughts && body.thinking?.type === "adaptive";
      const sent = {
        ...body,
        ...(drops ? { thinking: { ...body.thinking, ...dropping } } : {}),
        ...cache?.fieldsFor(request.cacheKey),
      };
      const betas = [...(drops ? [boundBeta] : []), ...(cache === null ? [] : [cacheBeta])];
      const headers = betas.length === 0 ? {} : { headers: { "anthropic-beta": betas.join(",") } };
      // `messages.create` would print notices about models to the console at any log level.
      return client.post("/v1/messages", {
        body: sent,
        ...headers,
        stream: true,
        signal: streamOptions.signal ?? null,
      });
    };
    const { open, refused } = withoutRefused(request, { sdk, files, send });
    yield* fromAnthropicStream(readWire({ provider, sdk, open }, streamOptions), {
      origin: () => origin,
      refused,
      onId: (id) => cache?.answered(request.cacheKey, id),
    });
  }

  return { name, contextWindow: options.contextWindow, stream };
}

// Makes the API drop a thought instead of refusing the request if content before the thought has changed
// (platform.claude.com, "Preserved thinking").
const dropping = { block_binding: { prefix_mismatch_behavior: "drop_block" } } as const;
const boundBeta = "thinking-binding-controls-2026-08-01";

// Sets every option that the SDK would otherwise read from the environment, so that only the configuration counts. The
// SDK's log is off because it prints requests and responses. Each request has a client of its own, whose `fetch` reports the
// activity of this request.
function createClient(
  Client: typeof Anthropic,
  options: AdapterOptions & StreamOptions & { readonly provider: Provider },
): Anthropic {
  return withoutCustomHeaders(
    new Client({
      apiKey: options.apiKey,
      baseURL: options.baseUrl ?? anthropicIdentity.url,
      maxRetries: 0,
      logLevel: "off",
      fetch: createBoundedFetch(options),
    }),
  );
}
