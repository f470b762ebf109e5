// Opens the configured reranker.
// Invariant: without the setting there is no reranker, and no model or package is loaded before the first search.
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/settings.ts";
import { ConfigError } from "../../base/errors.ts";
import { guardReranker } from "../../model/reranking/guard-reranker.ts";
import { createHttpReranker } from "../../model/reranking/http-reranker.ts";
import type { GuardedReranker, Reranker } from "../../model/reranking/reranker.ts";
import { createTransformersReranker } from "../../model/reranking/transformers/transformers-reranker.ts";

type RerankerConfig = Pick<Config, "rerankModel" | "rerankUrl" | "rerankApiKey" | "embeddingFolder"> & {
  readonly dataDir?: string;
};

export interface RerankerDeps {
  /** The program's reranker, which replaces the configured one; null: no reranker. */
  readonly own: Reranker | null | undefined;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Returns the reranker; null if none is configured. Throws ConfigError if a setting, the package or the model is missing. */
export function openReranker(config: RerankerConfig, { own, clock, log }: RerankerDeps): GuardedReranker | null {
  const reranker = own === undefined ? configured(config) : own;
  return reranker === null ? null : guardReranker(reranker, { clock, random: Math.random, log });
}

const folderPrefix = "transformers/";

function configured(config: RerankerConfig): Reranker | null {
  const { rerankModel: model, rerankUrl: url, rerankApiKey: apiKey } = config;
  if (model === null) return null;
  if (model.startsWith(folderPrefix)) {
    const folder = config.embeddingFolder ?? (config.dataDir === undefined ? null : join(config.dataDir, "models"));
    if (folder === null)
      throw new ConfigError(`${model} needs a folder: expected embeddingFolder or dataDir, got neither.`);
    return createTransformersReranker({ model: model.slice(folderPrefix.length), folder });
  }
  if (url === null) {
    throw new ConfigError(`Expected rerankUrl, the address of a /rerank endpoint, for the reranker "${model}".`);
  }
  return createHttpReranker({ url, model, apiKey });
}
