// The passages that the embedder refuses, for as long as a runtime is open: they are told once and not asked for again.
// Invariant: nothing of a passage's text is kept or told.
import { EmbeddingError } from "../../errors.ts";

export interface RefusedPassages {
  /** Ids of one agent's passages. */
  of(archiveId: string): ReadonlySet<string>;
  add(archiveId: string, passageIds: readonly string[]): void;
}

/** None at first. `onRefusal` is told of each passage once, with an EmbeddingError `embedding_refused`. */
export function createRefusedPassages(onRefusal: (error: EmbeddingError) => void): RefusedPassages {
  const byAgent = new Map<string, Set<string>>();
  return {
    of: (archiveId) => byAgent.get(archiveId) ?? new Set(),
    add(archiveId, passageIds) {
      const known = byAgent.get(archiveId) ?? new Set();
      byAgent.set(archiveId, known);
      const added = passageIds.filter((id) => !known.has(id));
      for (const id of added) known.add(id);
      if (added.length > 0) onRefusal(refusalOf(added));
    },
  };
}

function refusalOf(ids: readonly string[]): EmbeddingError {
  const what = ids.length === 1 ? "a passage, which is" : `${ids.length} passages, which are`;
  return new EmbeddingError(
    "embedding_refused",
    `The embedder refuses ${what} found by words alone: ${ids.join(", ")}. Put the text in other words, or choose another embedder.`,
  );
}
