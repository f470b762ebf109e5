// The settings of the embedder: each with its default, its form and the names under which it is given.
// Invariant: the three tables have the same keys, those of EmbeddingConfig; the compiler compares them.
import { z } from "zod";
import { atLeast, httpUrl, nonBlank, type Setting, urlExpected, wholeNumber } from "./setting-forms.ts";

export interface EmbeddingConfig {
  /** What makes vectors of archived text: `local/use-lite`, `openai/NAME`, `transformers/NAME`; `none`: search by words alone. */
  readonly embedding: string;
  /** Of a server that speaks OpenAI's embeddings API; null for OpenAI's own, whatever `baseUrl` is. */
  readonly embeddingBaseUrl: string | null;
  /** Null takes `openaiApiKey`, unless the embeddings are asked for elsewhere than the models. */
  readonly embeddingApiKey: string | null;
  /** The width of the vectors of a model that is not known here. */
  readonly embeddingDimensions: number | null;
  /** Tokens of a text that the model reads; null: what is known of it. */
  readonly embeddingWindow: number | null;
  /** Cosine similarity from which on a passage is found by its meaning alone; null: what is known of the model. */
  readonly embeddingFloor: number | null;
  /** What the model reads before a query, and before a text to be found; null: what is known of it, "": nothing. */
  readonly embeddingQueryPrefix: string | null;
  readonly embeddingPassagePrefix: string | null;
  /** Vectors that are kept in memory; 0: none. */
  readonly embeddingCache: number;
  /** The folder with the models of `transformers/NAME`; null: `models` in the data folder. */
  readonly embeddingFolder: string | null;
}

export const embeddingDefaults: EmbeddingConfig = {
  embedding: "local/use-lite",
  embeddingBaseUrl: null,
  embeddingApiKey: null,
  embeddingDimensions: null,
  embeddingWindow: null,
  embeddingFloor: null,
  embeddingQueryPrefix: null,
  embeddingPassagePrefix: null,
  embeddingCache: 1000,
  embeddingFolder: null,
};

/** Longer than any model's instruction, and less than a window. */
const prefix = z
  .string()
  .regex(/^[\s\S]{0,500}$/u)
  .nullable();
const prefixExpected = "a text of at most 500 characters";

export const embeddingShape = {
  embedding: z.string().regex(/^(?:none|local\/use-lite|(?:openai|transformers)\/\S+)$/u),
  embeddingBaseUrl: httpUrl.nullable(),
  embeddingApiKey: nonBlank.nullable(),
  embeddingDimensions: z.number().int().min(1).max(4000).nullable(),
  embeddingWindow: wholeNumber(16).nullable(),
  embeddingFloor: z.number().min(-1).max(1).nullable(),
  embeddingQueryPrefix: prefix,
  embeddingPassagePrefix: prefix,
  embeddingCache: wholeNumber(0),
  embeddingFolder: nonBlank.nullable(),
} satisfies { readonly [Key in keyof EmbeddingConfig]: z.ZodType<EmbeddingConfig[Key]> };

export const embeddingSettings: { readonly [Key in keyof EmbeddingConfig]: Setting } = {
  embedding: {
    expected: '"local/use-lite", "openai/NAME", "transformers/NAME", or "none" to search by words alone',
    flag: "embedding",
    environment: ["PALIMPSEST_EMBEDDING"],
  },
  embeddingBaseUrl: {
    expected: urlExpected,
    environment: ["PALIMPSEST_EMBEDDING_BASE_URL"],
  },
  embeddingApiKey: { expected: "a key", environment: ["PALIMPSEST_EMBEDDING_API_KEY"], isSecret: true },
  embeddingDimensions: {
    expected: "a whole number from 1 to 4000",
    environment: ["PALIMPSEST_EMBEDDING_DIMENSIONS"],
  },
  embeddingWindow: { expected: atLeast(16) },
  embeddingFloor: { expected: "a number from -1 to 1, a cosine similarity" },
  embeddingQueryPrefix: { expected: prefixExpected },
  embeddingPassagePrefix: { expected: prefixExpected },
  embeddingCache: { expected: atLeast(0) },
  embeddingFolder: { expected: "the path of a folder", environment: ["PALIMPSEST_EMBEDDING_FOLDER"] },
};
