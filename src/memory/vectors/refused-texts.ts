// Remembers which texts an embedder refuses, while a runtime is open: each is reported once and not sent again.
// Invariant: only the ids of texts are stored and reported.
import { EmbeddingError } from "../../base/errors.ts";

export interface RefusedTexts {
  /** Returns the ids of the refused texts of one agent or source. */
  of(holder: string): ReadonlySet<string>;
  all(): readonly string[];
  add(holder: string, ids: readonly string[]): void;
}

/** Creates an empty record. `onRefusal` is called once per text, with an EmbeddingError `embedding_refused`. */
export function createRefusedTexts(onRefusal: (error: EmbeddingError) => void): RefusedTexts {
  const byHolder = new Map<string, Set<string>>();
  return {
    of: (holder) => byHolder.get(holder) ?? new Set(),
    all: () => [...byHolder.values()].flatMap((ids) => [...ids]),
    add(holder, ids) {
      const known = byHolder.get(holder) ?? new Set();
      byHolder.set(holder, known);
      const added = ids.filter((id) => !known.has(id));
      for (const id of added) known.add(id);
      if (added.length > 0) onRefusal(refusalOf(added));
    },
  };
}

function refusalOf(ids: readonly string[]): EmbeddingError {
  const [what, them] = ids.length === 1 ? ["a text", "it"] : [`${ids.length} texts`, "them"];
  return new EmbeddingError(
    "embedding_refused",
    `The embedder refuses ${what}: ${ids.join(", ")}. Searches find ${them} by words only. Reword ${them}, or choose another embedder.`,
  );
}
