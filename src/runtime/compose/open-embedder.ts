// Creates the configured embedder, with a cache and protection against outages. The embedder is loaded at its first call.
// Invariant: a key is sent only to the server that it belongs to.
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { EmbeddingConfig } from "../../config/settings/embedding-settings.ts";
import type { Config } from "../../config/settings.ts";
import { centredSuffix, centreVectors } from "../../model/embedding/centred-embedder.ts";
import { cacheVectors } from "../../model/embedding/cached-embedder.ts";
import type { Embedder, GuardedEmbedder } from "../../model/embedding/embedder.ts";
import { guardEmbedder } from "../../model/embedding/guarded-embedder.ts";
import { prefixTexts } from "../../model/embedding/prefixed-embedder.ts";
import { ConfigError } from "../../base/errors.ts";

export type EmbedderConfig = EmbeddingConfig &
  Pick<Config, "baseUrl" | "openaiApiKey"> & {
    readonly dataDir?: string;
    /** Whether `embedding` is the name of stored vectors. If so, vectors are centred only if this name says so. */
    readonly isStoredName?: boolean;
  };

interface EmbedderDeps {
  /** The program's embedder, which replaces the configured one; undefined: the configured one is used. */
  readonly own: Embedder | null | undefined;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Returns the embedder with a cache, and with a guard so that its outages block no caller; null for `none`. Throws ConfigError
 * if a required setting is missing.
 */
export async function openEmbedder(config: EmbedderConfig, deps: EmbedderDeps): Promise<GuardedEmbedder | null> {
  const { own, clock, log } = deps;
  const embedder = own === undefined ? await openConfigured(config, clock) : own;
  if (embedder === null) return null;
  const floor = config.embeddingFloor === null ? {} : { similarityFloor: config.embeddingFloor };
  const guarded = guardEmbedder(embedder, { clock, random: Math.random, log, ...floor });
  return cacheVectors(guarded, config.embeddingCache);
}

/**
 * Opens the configured embedder with the configured prefixes. The program's own embedder gets no prefixes, because it is told
 * which texts are queries.
 */
async function openConfigured(given: EmbedderConfig, clock: Clock): Promise<Embedder | null> {
  const isNamedCentred = given.embedding.endsWith(centredSuffix);
  const config = isNamedCentred ? { ...given, embedding: given.embedding.slice(0, -centredSuffix.length) } : given;
  const embedder = await createEmbedder(config, clock);
  const request = { query: config.embeddingQueryPrefix, passage: config.embeddingPassagePrefix };
  if (embedder === null) return null;
  const prefixed = prefixTexts(embedder, request);
  return isNamedCentred || isUnknown(embedder, config) ? centreVectors(prefixed, clock) : prefixed;
}

/**
 * Returns whether no similarity floor is known: the embedder has none and no setting states one. Always false if the name was
 * read from stored vectors.
 */
function isUnknown({ similarityFloor }: Embedder, { embeddingFloor, isStoredName }: EmbedderConfig): boolean {
  return similarityFloor === undefined && embeddingFloor === null && isStoredName !== true;
}

async function createEmbedder(config: EmbedderConfig, clock: Clock): Promise<Embedder | null> {
  const [, provider, name = ""] = /^([^/]+)\/(.+)$/u.exec(config.embedding) ?? [];
  switch (provider) {
    case "openai":
      return openaiEmbedder(config, { model: name, clock });
    case "transformers": {
      const { createTransformersEmbedder } = await import(
        "../../model/embedding/transformers/transformers-embedder.ts"
      );
      const windowTokens = config.embeddingWindow ?? undefined;
      return createTransformersEmbedder({ model: name, folder: folderOf(config), windowTokens });
    }
    case "local": {
      const { createLocalEmbedder } = await import("../../model/embedding/local/local-embedder.ts");
      return createLocalEmbedder();
    }
    default:
      return null;
  }
}

function folderOf({ embedding, embeddingFolder, dataDir }: EmbedderConfig): string {
  const folder = embeddingFolder ?? (dataDir === undefined ? null : join(dataDir, "models"));
  if (folder !== null) return folder;
  throw new ConfigError(`${embedding} needs a folder: expected \`embeddingFolder\` or \`dataDir\`, got neither.`);
}

async function openaiEmbedder(
  config: EmbedderConfig,
  { model, clock }: { readonly model: string; readonly clock: Clock },
): Promise<Embedder> {
  const apiKey = keyOf(config);
  const { createOpenAIEmbedder } = await import("../../model/embedding/openai/openai-embedder.ts");
  return createOpenAIEmbedder({
    model,
    apiKey,
    keyOption: config.embeddingApiKey === null ? "openaiApiKey" : "embeddingApiKey",
    baseUrl: config.embeddingBaseUrl ?? undefined,
    dimensions: config.embeddingDimensions ?? undefined,
    windowTokens: config.embeddingWindow ?? undefined,
    clock,
    random: Math.random,
  });
}

/** Returns the key for an embedder of OpenAI's API. The OpenAI key is sent only to OpenAI or to the server in `baseUrl`. */
function keyOf({ embedding, embeddingApiKey, embeddingBaseUrl, baseUrl, openaiApiKey }: EmbedderConfig): string {
  if (embeddingApiKey !== null) return embeddingApiKey;
  if (embeddingBaseUrl !== null) return embeddingBaseUrl === baseUrl ? (openaiApiKey ?? "none") : "none";
  if (openaiApiKey !== null && baseUrl === null) return openaiApiKey;
  throw new ConfigError(
    baseUrl === null
      ? `${embedding} needs a key: set \`openaiApiKey\`, or choose another \`embedding\` (local/use-lite needs none).`
      : `${embedding} needs a server: set \`embeddingBaseUrl\` (\`baseUrl\` is only for the models), or \`embeddingApiKey\` for OpenAI's server.`,
  );
}
