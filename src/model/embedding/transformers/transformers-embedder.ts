// Runs sentence encoders with `@huggingface/transformers` in a worker thread. The model is a folder in Hugging Face's
// layout, with ONNX weights: config.json, tokenizer.json, onnx/model.onnx.
// Invariant: nothing is downloaded; the package is optional, and if it or a file is missing, a ConfigError says so
// before anything is loaded.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { storableText, takeCodePoints } from "../../../base/code-points.ts";
import { ConfigError } from "../../../base/errors.ts";
import { smallest } from "../../../base/lists.ts";
import { packageRoot } from "../../../base/package-root.ts";
import { messageOf } from "../../../base/thrown-values.ts";
import { estimateTokens } from "../../tokens/token-counter.ts";
import { createThreadEmbedder } from "../embed-thread.ts";
import type { Embedder } from "../embedder.ts";

export interface TransformersEmbedderOptions {
  /** The name of the model's folder; it may contain a slash, as in `Xenova/bge-small-en-v1.5`. */
  readonly model: string;
  readonly folder: string;
  /** Overrides the window in the model's files. */
  readonly windowTokens?: number | undefined;
  /** The path of the library's module. Default: the installed `@huggingface/transformers`. */
  readonly library?: string;
}

const packageName = "@huggingface/transformers";

/**
 * Creates `transformers/NAME`. Throws ConfigError if the package or the model is missing. Loads neither before the
 * first call.
 */
export async function createTransformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const { model, folder } = options;
  const found = await readModelFolder(join(folder, model));
  const windowTokens = options.windowTokens ?? found.windowTokens;
  const library = options.library ?? installedLibrary();
  const settings: EncoderSettings = { ...found, windowTokens, library, folder, model };
  return createThreadEmbedder({
    name: `transformers/${model}`,
    dimensions: found.dimensions,
    windowTokens,
    countTokens: estimateTokens,
    thread: { entry: builtEntry(), workerData: settings },
    // Shortens a text for the tokenizer, which cuts it at the window: almost no text has over 16 characters per token.
    prepare: (text) => storableText(takeCodePoints(text, windowTokens * 16)),
  });
}

/** Returns whether `@huggingface/transformers` is installed, without loading it. */
export function isLibraryInstalled(): boolean {
  try {
    return installedLibrary() !== "";
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** Returns the path of the installed package. Throws ConfigError if it is not installed. */
export function installedLibrary(): string {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch (cause) {
    throw new ConfigError(
      `transformers/… needs a package that is not installed: npm install ${packageName}, or choose another \`embedding\`.`,
      { cause },
    );
  }
}

function builtEntry(): URL {
  return new URL("dist/src/model/embedding/transformers/embed-worker.js", pathToFileURL(`${packageRoot()}/`));
}

export interface EncoderSettings extends Pick<ModelFolder, "dimensions" | "windowTokens" | "pooling" | "dtype"> {
  readonly library: string;
  /** The folder that contains the model's folder; `model` is the name of the model's folder. */
  readonly folder: string;
  readonly model: string;
}

interface ModelFolder {
  readonly dimensions: number;
  /** Tokens of a text that the model was trained to read. */
  readonly windowTokens: number;
  /** How the text's vector is made from the token vectors: their mean, or the first. */
  readonly pooling: "mean" | "cls";
  /** Precision of the model's weights, in the library's terms. */
  readonly dtype: "fp32" | "fp16" | "q8";
}

/** Weights in order of preference, the most precise first. */
const weights = [
  ["model.onnx", "fp32"],
  ["model_fp16.onnx", "fp16"],
  ["model_quantized.onnx", "q8"],
] as const;

/** Returns the facts of a model's folder. Throws ConfigError if a file is missing or invalid. */
async function readModelFolder(folder: string): Promise<ModelFolder> {
  const config = await readJson(join(folder, "config.json"));
  if (config === null) throw lacks(folder, "config.json");
  if ((await readJson(join(folder, "tokenizer.json"))) === null) throw lacks(folder, "tokenizer.json");
  const tokenizer = (await readJson(join(folder, "tokenizer_config.json"))) ?? {};
  const sentence = (await readJson(join(folder, "sentence_bert_config.json"))) ?? {};
  const pooling = (await readJson(join(folder, "1_Pooling", "config.json"))) ?? {};
  const dimensions = [config["hidden_size"], config["d_model"], config["dim"]].find(isCount);
  if (dimensions === undefined) {
    throw new ConfigError(`${join(folder, "config.json")}: expected hidden_size (the vectors' dimensions), got none.`);
  }
  const windows = [
    config["max_position_embeddings"],
    tokenizer["model_max_length"],
    sentence["max_seq_length"],
    maxWindow,
  ];
  return {
    dimensions,
    windowTokens: smallest(windows.filter(isCount)),
    pooling: pooling["pooling_mode_cls_token"] === true ? "cls" : "mean",
    dtype: dtypeOf(folder),
  };
}

/** Maximum plausible window in tokens: tokenizers without a limit specify a limit of 10^30. */
const maxWindow = 32_768;

function dtypeOf(folder: string): ModelFolder["dtype"] {
  for (const [file, dtype] of weights) {
    if (existsSync(join(folder, "onnx", file))) return dtype;
  }
  throw lacks(folder, weights.map(([file]) => `onnx/${file}`).join(" or "));
}

/** Returns the object in a JSON file; null if there is no such file. */
async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | null> {
  if (!existsSync(file)) return null;
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new ConfigError(`${file} cannot be read as JSON: ${messageOf(cause)}`, { cause });
  }
  throw new ConfigError(`${file}: expected a JSON object, got a JSON value of another type.`);
}

function lacks(folder: string, file: string): ConfigError {
  return new ConfigError(
    `The model in ${folder} has no ${file}. ` +
      "Put a sentence encoder with ONNX weights into that folder (config.json, tokenizer.json, tokenizer_config.json, onnx/model.onnx), or set embeddingFolder.",
  );
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
