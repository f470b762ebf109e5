// Shows models and embedders in the forms of Letta's API, and checks the handles that clients send.
// Invariant: a handle is the name of a model in the runtime; a handle that is not listed is refused, as in Letta.
import * as z from "zod";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Route } from "../route.ts";
import { on } from "./letta-routes.ts";
import { queryTexts } from "./pages.ts";
import type { Embedder } from "./runtime-records.ts";
import { WireFault } from "./wire-fault.ts";
import { fixed, flag, nulls, recordOf, text, whole } from "./wire-record.ts";

type Named = Pick<Embedder, "name">;

const providerOf = ({ name }: Named): string => name.split("/", 1)[0]!;
const modelOf = ({ name }: Named): string => name.slice(name.indexOf("/") + 1);

/** A model with the settings that an agent has for it; a model in the list of models has the defaults. */
interface SetModel extends ReturnType<UserRuntime["models"]["find"]> {
  readonly maxOutputTokens: number | null;
  readonly parallelToolCalls: boolean;
}

/** The fields that describe a model wherever Letta shows one. */
const llmFields = {
  ...nulls("model_endpoint", "model_wrapper", "reasoning_effort", "effort", "frequency_penalty", "compatibility_type"),
  ...nulls("verbosity", "tier", "response_format", "top_logprobs", "tool_call_parser"),
  model: [text, modelOf],
  model_endpoint_type: [text, providerOf],
  provider_name: [text, providerOf],
  provider_category: fixed("base"),
  context_window: [whole, "contextWindow"],
  put_inner_thoughts_in_kwargs: fixed(false),
  handle: [text, "name"],
  temperature: fixed(1),
  max_tokens: [whole.nullable(), "maxOutputTokens"],
  enable_reasoner: fixed(false),
  max_reasoning_tokens: fixed(0),
  parallel_tool_calls: [flag, "parallelToolCalls"],
  strict: fixed(false),
  return_logprobs: fixed(false),
  return_token_ids: fixed(false),
} as const;

/** An agent's model in Letta's form, with the context window of the agent. */
export const llmConfigRecord = recordOf<SetModel>()({ ...llmFields, display_name: fixed(null) });

const modelRecord = recordOf<SetModel>()({
  ...llmFields,
  display_name: [text, modelOf],
  name: [text, modelOf],
  provider_type: [text, providerOf],
  model_type: fixed("llm"),
  max_context_window: [whole, "contextWindow"],
});

const embeddingFields = {
  ...nulls("embedding_endpoint", "azure_endpoint", "azure_version", "azure_deployment"),
  embedding_endpoint_type: [text, providerOf],
  embedding_model: [text, modelOf],
  // Some embedders know their dimensions only once they are loaded; 0 is shown until then.
  embedding_dim: [whole, ({ dimensions }: Pick<Embedder, "dimensions">) => dimensions ?? 0],
  embedding_chunk_size: fixed(300),
  handle: [text, "name"],
  batch_size: fixed(32),
} as const;

export const embeddingConfigRecord = recordOf<Embedder>()(embeddingFields);
type EmbeddingConfig = ReturnType<typeof embeddingConfigRecord.show>;

const embedderRecord = recordOf<Embedder>()({
  ...embeddingFields,
  name: [text, modelOf],
  provider_type: [text, providerOf],
  provider_name: [text, providerOf],
  model_type: fixed("embedding"),
});

/** Returns the configuration of the embedder that this server uses; null without one. */
export async function embeddingConfigOf({ models }: Pick<UserRuntime, "models">): Promise<EmbeddingConfig | null> {
  const used = (await models.embedders()).find(({ isUsed }) => isUsed);
  return used === undefined ? null : embeddingConfigRecord.show(used);
}

/** The part of a record that holds the configuration of an embedder. */
export interface WithConfig {
  readonly config: EmbeddingConfig | null;
}

export const embeddingConfigField = [
  embeddingConfigRecord.shape.nullable(),
  ({ config }: WithConfig): EmbeddingConfig | null => config,
] as const;

/** Throws WireFault if no listed model has this handle, unless the list of its provider could not be read. */
export async function requireModel({ models }: Pick<UserRuntime, "models">, handle: string): Promise<void> {
  const { models: listed, unread } = await models.list();
  if (unread.includes(providerOf({ name: handle }))) return;
  requireListed(handle, listed);
}

/** Checks an embedder's handle. Throws WireFault if no embedder has it. */
export async function requireEmbedder({ models }: Pick<UserRuntime, "models">, handle: string): Promise<void> {
  requireListed(handle, await models.embedders());
}

function requireListed(handle: string, known: readonly Named[]): void {
  if (known.some(({ name }) => name === handle)) return;
  const listed = known.map(({ name }) => `'${name}'`).join(", ");
  const detail = `NOT_FOUND: Handle ${handle} not found, must be one of [${listed}]`;
  throw new WireFault(404, "config_invalid", { detail });
}

export const modelRoutes: readonly Route[] = [
  on("get /models", "read", "List the models", {
    query: z.object({
      provider_name: text.optional(),
      provider_type: text.optional(),
      provider_category: queryTexts.optional(),
    }),
    output: z.array(modelRecord.shape),
    run: async ({ runtime, query }) => {
      if (query.provider_category?.includes("base") === false) return [];
      const wanted = query.provider_name ?? query.provider_type;
      return (await runtime.models.list()).models
        .map((model) => modelRecord.show({ ...model, maxOutputTokens: null, parallelToolCalls: true }))
        .filter(({ provider_type: provider }) => wanted === undefined || provider === wanted);
    },
  }),
  on("get /models/embedding", "read", "List the embedding models", {
    output: z.array(embedderRecord.shape),
    run: async ({ runtime }) => (await runtime.models.embedders()).map(embedderRecord.show),
  }),
];
