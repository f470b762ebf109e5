// Models and embedders in the shapes of Letta's API, and the check of the handles that clients send.
// Invariant: a handle is the name of a model of ours; one that is not listed is refused as Letta does.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { WireFault } from "../wire-fault.ts";

type Models = UserRuntime["models"];
type KnownModel = ReturnType<Models["find"]>;
type KnownEmbedder = Awaited<ReturnType<Models["embedders"]>>[number];

export const modelShape = z.looseObject({
  handle: z.string(),
  name: z.string(),
  provider_type: z.string(),
  model_type: z.literal("llm"),
  context_window: z.int(),
  max_context_window: z.int(),
});

export const embedderShape = z.looseObject({
  handle: z.string(),
  name: z.string(),
  provider_type: z.string(),
  model_type: z.literal("embedding"),
  embedding_dim: z.int(),
});

interface Handle {
  readonly provider: string;
  readonly model: string;
}

function partsOf(handle: string): Handle {
  const at = handle.indexOf("/");
  return at === -1
    ? { provider: handle, model: handle }
    : { provider: handle.slice(0, at), model: handle.slice(at + 1) };
}

/** What a model's settings are where Letta shows a model. */
function llmFields({ name, contextWindow }: KnownModel) {
  const { provider, model } = partsOf(name);
  return {
    model,
    display_name: model,
    model_endpoint_type: provider,
    model_endpoint: null,
    provider_name: provider,
    provider_category: "base",
    model_wrapper: null,
    context_window: contextWindow,
    put_inner_thoughts_in_kwargs: false,
    handle: name,
    temperature: 1,
    max_tokens: null,
    enable_reasoner: false,
    reasoning_effort: null,
    max_reasoning_tokens: 0,
    effort: null,
    frequency_penalty: null,
    compatibility_type: null,
    verbosity: null,
    tier: null,
    parallel_tool_calls: true,
    response_format: null,
    strict: false,
    return_logprobs: false,
    top_logprobs: null,
    return_token_ids: false,
    tool_call_parser: null,
  };
}

export function shownModel(known: KnownModel) {
  const { provider, model } = partsOf(known.name);
  return {
    ...llmFields(known),
    name: model,
    provider_type: provider,
    model_type: "llm",
    max_context_window: known.contextWindow,
  };
}

/** The model of an agent: `contextWindow` is the agent's. */
export function shownLlmConfig(
  known: KnownModel,
  { maxOutputTokens, parallelToolCalls }: { readonly maxOutputTokens: number; readonly parallelToolCalls: boolean },
) {
  return {
    ...llmFields(known),
    display_name: null,
    max_tokens: maxOutputTokens,
    parallel_tool_calls: parallelToolCalls,
  };
}

/** Dimensions that are known only when the embedder is loaded are 0. */
export function shownEmbedder({ name, dimensions }: Pick<KnownEmbedder, "name" | "dimensions">) {
  const { provider, model } = partsOf(name);
  return {
    ...shownEmbeddingConfig({ name, dimensions }),
    name: model,
    provider_type: provider,
    provider_name: provider,
    model_type: "embedding",
  };
}

export function shownEmbeddingConfig({ name, dimensions }: Pick<KnownEmbedder, "name" | "dimensions">) {
  const { provider, model } = partsOf(name);
  return {
    embedding_endpoint_type: provider,
    embedding_endpoint: null,
    embedding_model: model,
    embedding_dim: dimensions ?? 0,
    embedding_chunk_size: 300,
    handle: name,
    batch_size: 32,
    azure_endpoint: null,
    azure_version: null,
    azure_deployment: null,
  };
}

/** Throws WireFault for a handle that no listed model has. A provider whose list cannot be read may have any model. */
export async function requireModel({ models }: Pick<UserRuntime, "models">, handle: string): Promise<void> {
  const { models: listed, unread } = await models.list();
  if (unread.includes(partsOf(handle).provider) || listed.some(({ name }) => name === handle)) return;
  throw unknownHandle(
    handle,
    listed.map(({ name }) => name),
  );
}

/** Throws WireFault for a handle that no embedder has. */
export async function requireEmbedder({ models }: Pick<UserRuntime, "models">, handle: string): Promise<void> {
  const names = (await models.embedders()).map(({ name }) => name);
  if (!names.includes(handle)) throw unknownHandle(handle, names);
}

function unknownHandle(handle: string, names: readonly string[]): WireFault {
  const listed = names.map((name) => `'${name}'`).join(", ");
  return new WireFault(404, "config_invalid", {
    detail: `NOT_FOUND: Handle ${handle} not found, must be one of [${listed}]`,
  });
}
