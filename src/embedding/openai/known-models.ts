// What is published of embedding models: width, window, and from which cosine on two texts have to do with each other.
// Sources: OpenAI, "Vector embeddings" and the API reference ("Create embeddings"); the model cards of the others.
// Invariant: what a server sends is checked against it, so a wrong entry is an error that names the right width.
import { ConfigError } from "../../errors.ts";

export interface KnownModel {
  readonly dimensions: number;
  readonly windowTokens: number;
  readonly similarityFloor?: number;
  /** OpenAI's own: its tokenizer is public (cl100k_base). */
  readonly isOpenAI?: true;
  /** Makes shorter vectors when it is asked for them. */
  readonly canShorten?: true;
}

// The floors are ours, from what others have published of cosines, as nothing of OpenAI's could be measured offline.
// text-embedding-3: a question to its article 0.44, to another one 0.08 (afurmanov.com, "Chunk size and embedding
// similarity"); ada-002: questions beside the matter 0.77 to 0.79 (community.openai.com/t/1377685).
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

interface OpenModel extends KnownModel {
  readonly name: string;
  readonly form: RegExp;
}

/** Models that people run on servers of their own, by a part of the many names that those give them. */
const openModels: readonly OpenModel[] = [
  { name: "nomic-embed-text", form: /nomic-embed-text/i, dimensions: 768, windowTokens: 2048 },
  { name: "mxbai-embed-large", form: /mxbai-embed-large/i, dimensions: 1024, windowTokens: 512 },
  { name: "all-minilm", form: /all-minilm(?:-l6|-l12|:|$)/i, dimensions: 384, windowTokens: 256 },
  { name: "bge-m3", form: /bge-m3/i, dimensions: 1024, windowTokens: 8192 },
  { name: "bge-small-en", form: /bge-small-en/i, dimensions: 384, windowTokens: 512 },
  { name: "bge-base-en", form: /bge-base-en/i, dimensions: 768, windowTokens: 512 },
  { name: "bge-large-en", form: /bge-large-en/i, dimensions: 1024, windowTokens: 512 },
];

/** The models whose width needs no setting, OpenAI's own first. */
export function listKnownModels(): readonly (KnownModel & { readonly name: string })[] {
  const own = Object.entries(openaiModels).map(([name, known]) => ({ name, ...known }));
  return [...own, ...openModels];
}

/** What the store can keep. */
const maxDimensions = 4000;

export interface ModelChoice {
  /** As the API knows it. */
  readonly model: string;
  readonly known: KnownModel | undefined;
  /** Of its vectors. */
  readonly dimensions: number;
  /** Whether the server is asked for that width. */
  readonly isShortened: boolean;
}

/**
 * The model of a name such as `text-embedding-3-small` or `text-embedding-3-small@512`, which asks for 512 dimensions.
 * `configured` is the width of a model that is not known here. Throws ConfigError when the width is unknown or cannot be.
 */
export function chooseModel(name: string, configured: number | undefined): ModelChoice {
  const [, model = name, request] = /^(.+)@(\d+)$/.exec(name) ?? [];
  const known = openaiModels[model] ?? openModels.find(({ form }) => form.test(model));
  const dimensions =
    request === undefined ? (known?.dimensions ?? configured) : requestedWidth(model, Number(request), known);
  if (dimensions === undefined) throw unknownWidth(model);
  if (configured !== undefined && configured !== dimensions) {
    throw new ConfigError(
      `embeddingDimensions: expected ${dimensions}, the width of openai/${name}, got ${configured}. ` +
        `Leave it out, or write openai/${model}@${configured} if the model makes shorter vectors when asked.`,
    );
  }
  return { model, known, dimensions, isShortened: request !== undefined };
}

/** Of a model that is not known, the server says whether it can. */
function requestedWidth(model: string, requested: number, known: KnownModel | undefined): number {
  const max = known?.dimensions ?? maxDimensions;
  if (known?.isOpenAI === true && known.canShorten !== true && requested !== max) {
    throw new ConfigError(`openai/${model} makes vectors of ${max} dimensions and no others, not of ${requested}.`);
  }
  if (requested >= 1 && requested <= max) return requested;
  throw new ConfigError(`openai/${model}@N: expected N from 1 to ${max}, got ${requested}.`);
}

function unknownWidth(model: string): ConfigError {
  return new ConfigError(
    `The width of openai/${model} is not known: expected embeddingDimensions (PALIMPSEST_EMBEDDING_DIMENSIONS), got none. ` +
      "Its model card names it; with a wrong one, `palimpsest doctor --online` says what it is.",
  );
}
