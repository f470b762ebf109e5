// Finds the texts at which an embedder breaks though it takes others, so that one of them never looks like an outage.
// Invariant: a text is given up only when it fails by itself and a harmless one goes well right after it.
import { EmbeddingError } from "../errors.ts";
import type { EmbedOptions, Embedder, Vector } from "./embedder.ts";

/** What every embedder takes. */
const harmless = "palimpsest";

/**
 * The vectors of the texts, and null for those that the embedder breaks at. A call that fails is divided in two until the
 * texts are found. Throws what the embedder threw when that is not the texts' fault: it takes no harmless text either, or
 * said so (`embedder_unavailable`).
 */
export async function embedApart(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions & { readonly signal: AbortSignal },
): Promise<readonly Vector[]> {
  const { signal } = options;
  let isUp = false;

  async function embedPart(part: readonly string[]): Promise<readonly Vector[]> {
    try {
      return await embedder.embed(part, options);
    } catch (error) {
      signal.throwIfAborted();
      if (!mayBeTheTexts(error)) throw error;
      if (!isUp || part.length === 1) await tryHarmless(error);
      isUp = true;
      if (part.length === 1) return [null];
      const middle = Math.ceil(part.length / 2);
      return [...(await embedPart(part.slice(0, middle))), ...(await embedPart(part.slice(middle)))];
    }
  }

  async function tryHarmless(failure: unknown): Promise<void> {
    try {
      await embedder.embed([harmless], { signal });
    } catch {
      // It is down. What it said of the harmless text is of no use to anybody.
      signal.throwIfAborted();
      throw failure;
    }
  }

  return embedPart(texts);
}

function mayBeTheTexts(error: unknown): boolean {
  return !(error instanceof EmbeddingError) || error.code === "embedding_failed" || error.code === "embedding_refused";
}
