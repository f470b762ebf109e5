// The vectors of passages in Letta's database, for the embedder that makes them here.
// Invariant: pure; a vector is taken only if the same model made it, with as many dimensions.
import type { VectorKind } from "../../store/port/embedder-store.ts";
import type { DatabasePassage } from "./letta-database.ts";
import { uuidOf } from "./letta-ids.ts";

export interface KeptVector {
  readonly passageId: string;
  readonly vector: readonly number[];
}

export function vectorsOf(passages: readonly DatabasePassage[], kind: VectorKind): readonly KeptVector[] {
  return passages.flatMap(({ id, embedding, embedding_config: config }) => {
    const { embedding_endpoint_type: type, embedding_model: model, embedding_dim: dimensions } = config ?? {};
    const isSame = `${type}/${model}` === kind.embedder && dimensions === kind.dimensions;
    const vector = isSame ? numbersIn(embedding ?? "").slice(0, kind.dimensions) : [];
    return vector.length === kind.dimensions ? [{ passageId: uuidOf(id), vector }] : [];
  });
}

/** Reads the text of a vector: `[0.1,0.2]`. */
function numbersIn(text: string): readonly number[] {
  return text.replaceAll(/[[\]]/gu, "").split(",").map(Number);
}
