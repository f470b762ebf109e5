// The texts that an embedder refuses, for as long as a runtime is open: they are told once and not asked for again.
// Invariant: nothing of a text but its id is kept or told.
import { EmbeddingError } from "../../errors.ts";

export interface RefusedTexts {
  /** Ids of what one agent or source has. */
  of(holder: string): ReadonlySet<string>;
  /** Ids of all. */
  all(): readonly string[];
  add(holder: string, ids: readonly string[]): void;
}

/** None at first. `onRefusal` is told of each text once, with an EmbeddingError `embedding_refused`. */
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
  const what = ids.length === 1 ? "a text, which is" : `${ids.length} texts, which are`;
  return new EmbeddingError(
    "embedding_refused",
    `The embedder refuses ${what} found by words alone: ${ids.join(", ")}. Put the text in other words, or choose another embedder.`,
  );
}
