// Finds single texts that make an embedder fail, so that one such text never looks like an outage.
// Invariant: a text is refused only if it fails alone and a harmless text succeeds directly afterwards.
import { EmbeddingError } from "../../base/errors.ts";
import type { EmbedOptions, Embedder, Vector } from "./embedder.ts";

/** A text that every embedder accepts. */
const probeText = "palimpsest";

/**
 * Returns the vectors of the texts, and null for each text that makes the embedder fail. A failed call is bisected until these
 * texts are found. Throws the embedder's error if the texts are not the cause: the embedder also fails for a harmless text, or
 * its error has another code, such as `embedder_unavailable`.
 */
export async function embedApart(
  embedder: Pick<Embedder, "embed">,
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
      if (!isPossiblyTextFault(error)) throw error;
      if (!isUp || part.length === 1) await probe(error);
      isUp = true;
      if (part.length === 1) return [null];
      const middle = Math.ceil(part.length / 2);
      return [...(await embedPart(part.slice(0, middle))), ...(await embedPart(part.slice(middle)))];
    }
  }

  async function probe(failure: unknown): Promise<void> {
    try {
      await embedder.embed([probeText], { signal });
    } catch {
      // If the harmless text fails, too, the embedder is down, and the caller gets the error of its own texts.
      signal.throwIfAborted();
      throw failure;
    }
  }

  return embedPart(texts);
}

function isPossiblyTextFault(error: unknown): boolean {
  return !(error instanceof EmbeddingError) || error.code === "embedding_failed" || error.code === "embedding_refused";
}
