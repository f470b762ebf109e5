// Lists the known embedding models, and whether each is configured.
// Invariant: loads no model and no package, and sends no request.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { listKnownModels } from "../../model/embedding/openai/known-models.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import { modelDimensions, modelWindowTokens } from "../../model/embedding/local/model-text.ts";
import { isLibraryInstalled } from "../../model/embedding/transformers/transformers-embedder.ts";
import { ConfigError } from "../../base/errors.ts";
import type { EmbedderChoice } from "../embedder-choice.ts";
import { type EmbedderConfig, openEmbedder } from "./open-embedder.ts";

/** Returns the embedding models that are known by name. The configured model comes first if it is not one of these. */
export async function listEmbedders(config: EmbedderConfig): Promise<readonly EmbedderChoice[]> {
  const choices = [localChoice, ...listKnownModels().map((model) => openaiChoice(model, config)), folderChoice(config)];
  if (config.embedding === "none") return choices;
  const embedder = await openOrNull(config);
  const known = choices.find(({ name }) => name === config.embedding);
  const used = usedChoice(config, known ?? unlistedChoice(config, choices), embedder);
  return known === undefined ? [used, ...choices] : choices.map((choice) => (choice === known ? used : choice));
}

const localChoice: EmbedderChoice = {
  name: "local/use-lite",
  dimensions: modelDimensions,
  windowTokens: modelWindowTokens,
  isRemote: false,
  needs: null,
  isReady: true,
  isUsed: false,
};

function openaiChoice(
  { name, dimensions, windowTokens, isOpenAI }: ReturnType<typeof listKnownModels>[number],
  { embeddingBaseUrl, embeddingApiKey, openaiApiKey, baseUrl }: EmbedderConfig,
): EmbedderChoice {
  const hasServer = embeddingBaseUrl !== null;
  const hasKey = embeddingApiKey !== null || (openaiApiKey !== null && baseUrl === null);
  return {
    name: `openai/${name}`,
    dimensions,
    windowTokens,
    isRemote: true,
    needs: isOpenAI === true ? "OPENAI_API_KEY" : "embeddingBaseUrl: a server with this model",
    isReady: hasServer || (isOpenAI === true && hasKey),
    isUsed: false,
  };
}

function folderChoice({ embeddingFolder, dataDir }: EmbedderConfig): EmbedderChoice {
  const folder = embeddingFolder ?? (dataDir === undefined ? null : join(dataDir, "models"));
  return {
    name: "transformers/NAME",
    dimensions: null,
    windowTokens: null,
    isRemote: false,
    needs: `@huggingface/transformers, and a model in ${folder ?? "the folder of `embeddingFolder`"}`,
    isReady: folder !== null && existsSync(folder) && isLibraryInstalled(),
    isUsed: false,
  };
}

/**
 * Returns the known facts about a model that is not listed: a listed model with fewer dimensions, another model of a server, or
 * a model in a folder.
 */
function unlistedChoice(config: EmbedderConfig, choices: readonly EmbedderChoice[]): EmbedderChoice {
  const { embedding } = config;
  const shortened = choices.find(({ name }) => name === embedding.replace(/@\d{1,9}$/u, ""));
  if (shortened !== undefined) return { ...shortened, name: embedding, dimensions: null };
  if (!embedding.startsWith("openai/")) return { ...folderChoice(config), name: embedding };
  const needs = "OPENAI_API_KEY or embeddingBaseUrl, and embeddingDimensions unless the dimensions are known";
  return { ...localChoice, name: embedding, dimensions: null, windowTokens: null, isRemote: true, needs };
}

function usedChoice(config: EmbedderConfig, choice: EmbedderChoice, embedder: Embedder | null): EmbedderChoice {
  return {
    ...choice,
    dimensions: embedder?.dimensions ?? choice.dimensions,
    windowTokens: embedder?.windowTokens ?? config.embeddingWindow ?? choice.windowTokens,
    isReady: embedder !== null,
    isUsed: true,
  };
}

/** Returns the embedder; null if a setting is missing. The embedder is not called, so nothing is loaded. */
async function openOrNull(config: EmbedderConfig): Promise<Embedder | null> {
  try {
    return await openEmbedder(config, { own: undefined, clock: systemClock, log: () => undefined });
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
