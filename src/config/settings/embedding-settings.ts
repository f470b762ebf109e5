// Defines the settings of the embedder, which turns texts into vectors for search by meaning.
import type { z } from "zod";
import { apiKey, httpUrl, nonBlank, orNull, wholeNumber } from "./forms.ts";
import { flag, type Form, setting, type ValuesOf } from "./setting.ts";

/** A prefix of at most 500 characters: longer than any known model's instruction, shorter than a window. */
const prefix = orNull({
  form: (zod) => zod.string().regex(/^[\s\S]{0,500}$/u),
  expected: "a text of at most 500 characters",
});

export const embedderName: Form<z.ZodType<string>> = {
  form: (zod) =>
    zod
      .string()
      .regex(/^(?:none|(?:local|openai|transformers)\/\S+)$/u)
      .transform((name) => (isInModelsFolder(name) ? name.replace("local/", "transformers/") : name)),
  expected:
    '"local/use-lite", "openai/NAME", "transformers/NAME", "local/NAME" (the same as transformers/NAME), or "none" to search by words only',
};

/** Returns whether the name `local/NAME` stands for a model in the models folder, not for the built-in model. */
function isInModelsFolder(name: string): boolean {
  return name.startsWith("local/") && name !== "local/use-lite";
}

export type EmbeddingConfig = ValuesOf<typeof embeddingSettings>;

export const embeddingSettings = {
  /** The embedder of archival memory: `local/use-lite`, `openai/NAME`, `transformers/NAME`; `none`: search by words only. */
  embedding: setting({
    ...embedderName,
    default: "local/use-lite",
    flag: flag("store", "embedding", "MODEL", "{default} (default), openai/NAME, transformers/NAME, or none"),
    environment: ["PALIMPSEST_EMBEDDING"],
  }),
  /** The URL of a server with OpenAI's embeddings API; null for OpenAI's own, regardless of `baseUrl`. */
  embeddingBaseUrl: setting({ ...orNull(httpUrl), default: null, environment: ["PALIMPSEST_EMBEDDING_BASE_URL"] }),
  /** The key of the embeddings API; null: `openaiApiKey`, if embeddings and models have the same server. */
  embeddingApiKey: setting({ ...apiKey, default: null, environment: ["PALIMPSEST_EMBEDDING_API_KEY"], isSecret: true }),
  /** The number of dimensions of the vectors; needed only for a model that Palimpsest does not know. */
  embeddingDimensions: setting({
    ...orNull(wholeNumber(1, 4000)),
    default: null,
    environment: ["PALIMPSEST_EMBEDDING_DIMENSIONS"],
  }),
  /** Maximum tokens of a text that the model can read; null: as known for the model. */
  embeddingWindow: setting({ ...orNull(wholeNumber(16)), default: null }),
  /** Minimum cosine similarity of a hit that is found by meaning alone; null: as known for the model. */
  embeddingFloor: setting({
    form: (zod) => zod.number().min(-1).max(1).nullable(),
    expected: "a number from -1 to 1, a cosine similarity",
    default: null,
  }),
  /** Text that the model expects before a query; null: as known for the model; "": none. */
  embeddingQueryPrefix: setting({ ...prefix, default: null }),
  /** Text that the model expects before a passage; null: as known for the model; "": none. */
  embeddingPassagePrefix: setting({ ...prefix, default: null }),
  /** Maximum number of vectors cached in memory; 0: none. */
  embeddingCache: setting({ ...wholeNumber(0), default: 1000 }),
  /** The folder with the models for `transformers/NAME`; null: `models` in the data folder. */
  embeddingFolder: setting({
    form: (zod) => nonBlank(zod).nullable(),
    expected: "the path of a folder",
    default: null,
    environment: ["PALIMPSEST_EMBEDDING_FOLDER"],
  }),
};
