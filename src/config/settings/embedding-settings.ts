// The settings of the embedder, which makes vectors of texts so that they are found by their meaning.
import type { z } from "zod";
import { apiKey, httpUrl, nonBlank, orNull, wholeNumber } from "./forms.ts";
import { type Form, setting, type ValuesOf } from "./setting.ts";

/** Longer than any model's instruction, and less than a window. */
const prefix = orNull({
  form: (zod) => zod.string().regex(/^[\s\S]{0,500}$/u),
  expected: "a text of at most 500 characters",
});

export const embedderName: Form<z.ZodString> = {
  form: (zod) => zod.string().regex(/^(?:none|local\/use-lite|(?:openai|transformers)\/\S+)$/u),
  expected: '"local/use-lite", "openai/NAME", "transformers/NAME", or "none" to search by words alone',
};

export type EmbeddingConfig = ValuesOf<typeof embeddingSettings>;

export const embeddingSettings = {
  /** What makes vectors of archived text: `local/use-lite`, `openai/NAME`, `transformers/NAME`; `none`: search by words alone. */
  embedding: setting({
    ...embedderName,
    default: "local/use-lite",
    flag: {
      name: "embedding",
      value: "MODEL",
      help: "{default} (default), openai/NAME, transformers/NAME, or none",
      group: "store",
    },
    environment: ["PALIMPSEST_EMBEDDING"],
  }),
  /** Of a server that speaks OpenAI's embeddings API; null for OpenAI's own, whatever `baseUrl` is. */
  embeddingBaseUrl: setting({ ...orNull(httpUrl), default: null, environment: ["PALIMPSEST_EMBEDDING_BASE_URL"] }),
  /** Null takes `openaiApiKey`, unless the embeddings are asked for elsewhere than the models. */
  embeddingApiKey: setting({
    ...apiKey,
    default: null,
    environment: ["PALIMPSEST_EMBEDDING_API_KEY"],
    isSecret: true,
  }),
  /** The width of the vectors of a model that is not known here. */
  embeddingDimensions: setting({
    form: (zod) => zod.number().int().min(1).max(4000).nullable(),
    expected: "a whole number from 1 to 4000",
    default: null,
    environment: ["PALIMPSEST_EMBEDDING_DIMENSIONS"],
  }),
  /** Tokens of a text that the model reads; null: what is known of it. */
  embeddingWindow: setting({ ...orNull(wholeNumber(16)), default: null }),
  /** Cosine similarity from which on a passage is found by its meaning alone; null: what is known of the model. */
  embeddingFloor: setting({
    form: (zod) => zod.number().min(-1).max(1).nullable(),
    expected: "a number from -1 to 1, a cosine similarity",
    default: null,
  }),
  /** What the model reads before a query; null: what is known of it, "": nothing. */
  embeddingQueryPrefix: setting({ ...prefix, default: null }),
  /** What the model reads before a text to be found; null: what is known of it, "": nothing. */
  embeddingPassagePrefix: setting({ ...prefix, default: null }),
  /** Vectors that are kept in memory; 0: none. */
  embeddingCache: setting({ ...wholeNumber(0), default: 1000 }),
  /** The folder with the models of `transformers/NAME`; null: `models` in the data folder. */
  embeddingFolder: setting({
    form: (zod) => nonBlank(zod).nullable(),
    expected: "the path of a folder",
    default: null,
    environment: ["PALIMPSEST_EMBEDDING_FOLDER"],
  }),
};
