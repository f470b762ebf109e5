// How it stands with the embedders of an agent: by which one searches compare, and how many vectors each has.
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createWordEmbedder, type WordEmbedder } from "./word-embedder.ts";

/** `test/old` and `test/next`. */
export const newEmbedders = (): [WordEmbedder, WordEmbedder] => [
  createWordEmbedder("test/old", 16),
  createWordEmbedder("test/next", 12),
];

/** By which embedder a search compares, from the cosine of its first hit: that of either is another. */
export async function comparedBy(runtime: Runtime, agent = "main", query = "boat"): Promise<string> {
  const { hits, wordsAlone } = await runtime.archival.search(agent, query, { pageSize: 1 });
  const meaning = hits[0]?.explanation.meaning ?? null;
  if (meaning === null || hits[0] === undefined) return wordsAlone === true ? "words alone" : "nothing";
  const cosines = await Promise.all(newEmbedders().map((embedder) => cosineOf(embedder, query, hits[0]!.text)));
  return ["old", "next"].filter((_, at) => Math.abs(cosines[at]! - meaning.cosine!) < 1e-6).join(" and ");
}

async function cosineOf(embedder: WordEmbedder, one: string, other: string): Promise<number> {
  const [a, b] = await embedder.embed([one, other]);
  return a!.reduce((sum, number, at) => sum + number * b![at]!, 0);
}

/** `searched test/old 5/5` */
export async function standing(runtime: Runtime, agent = "main"): Promise<readonly string[]> {
  const [state] = await runtime.embeddings.list([agent]);
  return (["searched", "building", "kept"] as const).flatMap((role) => {
    const one = state![role];
    return one === null ? [] : [`${role} ${one.embedder} ${one.texts - one.missing}/${one.texts}`];
  });
}
