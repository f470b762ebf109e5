// The embedders of a runtime that has one alone, or none.
import type { GuardedEmbedder } from "../../src/model/embedding/embedder.ts";
import { ConfigError } from "../../src/base/errors.ts";
import { type Embedders, isSameKind } from "../../src/memory/vectors/embedders.ts";
import { createRefusedTexts } from "../../src/memory/vectors/refused-texts.ts";
import { kindOf } from "../../src/memory/vectors/unembedded.ts";

export function onlyEmbedder(
  embedder: GuardedEmbedder | null,
  onRefusal: (error: Error) => void = () => undefined,
): Embedders {
  const one = embedder === null ? null : { embedder, refused: createRefusedTexts(onRefusal) };
  return {
    default: one,
    find: async (kind) => (one !== null && isSameKind(kind, kindOf(one.embedder)) ? one : null),
    open: async (name) => {
      if (one?.embedder.name === name) return one;
      throw new ConfigError(`There is no embedder "${name}".`);
    },
    close: async () => embedder?.close(),
  };
}
