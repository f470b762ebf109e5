// Sentence encoders with ONNX weights from a folder, run by `@huggingface/transformers` in a thread.
// Invariant: nothing is downloaded; the package is optional, and if it is missing a ConfigError says how to install it.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { storableText, takeCodePoints } from "../../../base/code-points.ts";
import { ConfigError } from "../../../base/errors.ts";
import { packageRoot } from "../../../base/package-root.ts";
import { estimateTokens } from "../../tokens/token-counter.ts";
import { createThreadEmbedder } from "../embed-thread.ts";
import type { Embedder } from "../embedder.ts";
import { type ModelFolder, readModelFolder } from "./model-folder.ts";

export interface TransformersEmbedderOptions {
  /** The name of the model's folder; it may contain a slash, as in `Xenova/bge-small-en-v1.5`. */
  readonly model: string;
  /** The folder of all models. */
  readonly folder: string;
  /** Overrides the value in the model's files. */
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
    // Maximum characters of a token, in almost all texts: the tokenizer then cuts at the window.
    prepare: (text) => storableText(takeCodePoints(text, windowTokens * 16)),
  });
}

/** Whether the package that runs these models is installed. Does not load it. */
export function isLibraryInstalled(): boolean {
  try {
    return installedLibrary() !== "";
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** The path of the installed package. Throws ConfigError if there is none. */
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
  /** The path of the library's module. */
  readonly library: string;
  /** The folder that contains the model's folder, and the name of that. */
  readonly folder: string;
  readonly model: string;
}
