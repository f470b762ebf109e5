// Reads the folder of a sentence encoder in Hugging Face's layout: config.json, tokenizer.json, onnx/model.onnx.
// Invariant: read once, before anything is loaded, so that a missing file is a ConfigError instead of a later failure.
import { smallest } from "../../../base/lists.ts";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/thrown-values.ts";
import { ConfigError } from "../../../base/errors.ts";

export interface ModelFolder {
  readonly dimensions: number;
  /** Tokens of a text that the model was trained to read. */
  readonly windowTokens: number;
  /** How token vectors are combined into the text's: the mean of all, or the first. */
  readonly pooling: "mean" | "cls";
  /** Precision of its weights, in the library's terms. */
  readonly dtype: "fp32" | "fp16" | "q8";
}

/** Weights in order of preference, the most precise first. */
const weights = [
  ["model.onnx", "fp32"],
  ["model_fp16.onnx", "fp16"],
  ["model_quantized.onnx", "q8"],
] as const;

/** Throws ConfigError if a file is missing or invalid. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const config = await readJson(join(folder, "config.json"));
  if (config === null) throw lacks(folder, "config.json");
  if ((await readJson(join(folder, "tokenizer.json"))) === null) throw lacks(folder, "tokenizer.json");
  const tokenizer = (await readJson(join(folder, "tokenizer_config.json"))) ?? {};
  const sentence = (await readJson(join(folder, "sentence_bert_config.json"))) ?? {};
  const pooling = (await readJson(join(folder, "1_Pooling", "config.json"))) ?? {};
  const dimensions = [config["hidden_size"], config["d_model"], config["dim"]].find(isCount);
  if (dimensions === undefined) {
    throw new ConfigError(`${join(folder, "config.json")}: expected hidden_size, the width of its vectors, got none.`);
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
    dtype: await dtypeOf(folder),
  };
}

/** Tokenizers without a limit specify one of 10^30. */
const maxWindow = 32_768;

async function dtypeOf(folder: string): Promise<ModelFolder["dtype"]> {
  for (const [file, dtype] of weights) {
    if (await exists(join(folder, "onnx", file))) return dtype;
  }
  throw lacks(folder, weights.map(([file]) => `onnx/${file}`).join(" or "));
}

/** Returns null if there is no such file. */
async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | null> {
  if (!(await exists(file))) return null;
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new ConfigError(`${file}: expected JSON, but it cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new ConfigError(`${file}: expected a JSON object, got something else.`);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function lacks(folder: string, file: string): ConfigError {
  return new ConfigError(
    `Expected ${folder} to be a model with ${file}. ` +
      "Put a sentence encoder with ONNX weights there (config.json, tokenizer.json, tokenizer_config.json, onnx/model.onnx), or set embeddingFolder.",
  );
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
