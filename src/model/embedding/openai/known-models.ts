// Lists published facts about embedding models: dimensions, window, and the minimum cosine of two related texts. Sources:
// OpenAI, "Vector embeddings" and the API reference ("Create embeddings"); the model cards of the other models.
// Invariant: for a known model, the error about wrong dimensions in the settings states the right ones.
import { ConfigError } from "../../../base/errors.ts";

export interface KnownModel {
  readonly dimensions: number;
  readonly windowTokens: number;
  readonly similarityFloor?: number;
  /** True for OpenAI's own models, whose tokenizer is public (cl100k_base). */
  readonly isOpenAI?: true;
  /** True if the model returns shorter vectors on request. */
  readonly canShorten?: true;
}

// The floors are estimates from published cosines, since OpenAI's models cannot be measured offline. text-embedding-3:
// 0.44 between a question and its article, 0.08 to another article (afurmanov.com, "Chunk size and embedding
// similarity"); ada-002: 0.77 to 0.79 between unrelated questions (community.openai.com/t/1377685).
const openaiModels: Readonly<Record<string, KnownModel>> = {
  "text-embedding-3-small": {
    dimensions: 1536,
    windowTokens: 8192,
    similarityFloor: 0.3,
    isOpenAI: true,
    canShorten: true,
  },
  "text-embedding-3-large": {
    dimensions: 3072,
    windowTokens: 8192,
    similarityFloor: 0.3,
    isOpenAI: true,
    canShorten: true,
  },
  "text-embedding-ada-002": { dimensions: 1536, windowTokens: 8192, similarityFloor: 0.8, isOpenAI: true },
};

/** Models that people run on their own servers, matched by a part of the name, which varies. */
const openModels: readonly (KnownModel & { readonly name: string; readonly form: RegExp })[] = [
  { name: "nomic-embed-text", form: /nomic-embed-text/i, dimensions: 768, windowTokens: 2048 },
  { name: "mxbai-embed-large", form: /mxbai-embed-large/i, dimensions: 1024, windowTokens: 512 },
  { name: "all-minilm", form: /all-minilm(?:-l6|-l12|:|$)/i, dimensions: 384, windowTokens: 256 },
  { name: "bge-m3", form: /bge-m3/i, dimensions: 1024, windowTokens: 8192 },
  { name: "bge-small-en", form: /bge-small-en/i, dimensions: 384, windowTokens: 512 },
  { name: "bge-base-en", form: /bge-base-en/i, dimensions: 768, windowTokens: 512 },
  { name: "bge-large-en", form: /bge-large-en/i, dimensions: 1024, windowTokens: 512 },
];

/** Returns the models with known dimensions, which need no setting; OpenAI's own models come first. */
export function listKnownModels(): readonly (KnownModel & { readonly name: string })[] {
  const own = Object.entries(openaiModels).map(([name, known]) => ({ name, ...known }));
  return [...own, ...openModels];
}

/** Maximum dimensions that the store supports. */
const maxDimensions = 4000;

export interface ModelChoice {
  /** The API's name of the model. */
  readonly model: string;
  readonly known: KnownModel | undefined;
  /** Dimensions of the model's vectors. */
  readonly dimensions: number;
  /** Whether the request asks the server for `dimensions`. */
  readonly isShortened: boolean;
}

/**
 * Returns the model of a name. The name `text-embedding-3-small@512` requests 512 dimensions. `configured` is the setting
 * `embeddingDimensions`, which unknown models need. Throws ConfigError for unknown or impossible dimensions.
 */
export function chooseModel(name: string, configured: number | undefined): ModelChoice {
  const [, model = name, request] = /^(.+)@(\d+)$/.exec(name) ?? [];
  const known = openaiModels[model] ?? openModels.find(({ form }) => form.test(model));
  const dimensions =
    request === undefined ? (known?.dimensions ?? configured) : requestedWidth(model, Number(request), known);
  if (dimensions === undefined) throw unknownWidth(model);
  if (configured !== undefined && configured !== dimensions) {
    throw new ConfigError(
      `embeddingDimensions: expected ${dimensions}, the dimensions of openai/${name}, got ${configured}. ` +
        `Leave the setting out, or write openai/${model}@${configured} if the model makes shorter vectors on request.`,
    );
  }
  return { model, known, dimensions, isShortened: request !== undefined };
}

/** Returns the requested dimensions. Throws ConfigError if the model cannot have them, or for more than the store supports. */
function requestedWidth(model: string, requested: number, known: KnownModel | undefined): number {
  const max = known?.dimensions ?? maxDimensions;
  if (known?.isOpenAI === true && known.canShorten !== true && requested !== max) {
    throw new ConfigError(
      `Expected openai/${model} without a number: it makes only vectors of ${max} dimensions. Got openai/${model}@${requested}.`,
    );
  }
  if (requested >= 1 && requested <= max) return requested;
  throw new ConfigError(`openai/${model}@N: expected N from 1 to ${max}, got ${requested}.`);
}

function unknownWidth(model: string): ConfigError {
  return new ConfigError(
    `Expected \`embeddingDimensions\` for openai/${model}, a model with unknown dimensions, got none. ` +
      "The model card states the number. If you set a wrong one, the error states the right one.",
  );
}
