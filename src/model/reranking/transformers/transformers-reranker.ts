// Runs cross-encoders with `@huggingface/transformers` in a worker thread. The model is a folder with ONNX weights.
// Invariant: nothing is downloaded, and the caller's event loop never runs the model.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../../base/package-root.ts";
import { storableText, takeCodePoints } from "../../../base/code-points.ts";
import { createEmbedThread } from "../../embedding/embed-thread.ts";
import {
  installedLibrary,
  type TransformersEmbedderOptions,
} from "../../embedding/transformers/transformers-embedder.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Reranker } from "../reranker.ts";

export interface TransformersRerankerOptions extends Omit<TransformersEmbedderOptions, "windowTokens"> {}

/** The settings with which the worker thread loads the model. */
export type CrossEncoderSettings = Required<TransformersRerankerOptions>;

/** Texts are cut to this many characters: almost always more than a cross-encoder's window of 512 tokens. */
const maxTextLength = 8000;

/**
 * Creates `transformers/NAME`. Throws ConfigError if the package or the model is missing. Loads neither before the first call.
 */
export function createTransformersReranker(options: TransformersRerankerOptions): Reranker {
  const { model, folder, library = installedLibrary() } = options;
  if (!existsSync(join(folder, model, "config.json"))) {
    throw new ConfigError(`Expected a cross-encoder in ${join(folder, model)}, found no config.json.`);
  }
  const workerData: CrossEncoderSettings = { model, folder, library };
  const entry = new URL("dist/src/model/reranking/transformers/rerank-worker.js", pathToFileURL(`${packageRoot()}/`));
  const thread = createEmbedThread({ entry, workerData });
  const prepare = (text: string): string => storableText(takeCodePoints(text, maxTextLength));
  return {
    name: `transformers/${model}`,
    async score(query, texts, { signal }) {
      const pairs = texts.map((text) => JSON.stringify([prepare(query), prepare(text)]));
      return Array.from(await thread.request(pairs, signal));
    },
    close: () => thread.stop(),
  };
}
