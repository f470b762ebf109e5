// The baseline: plain BM25 over single utterances, without code of the project.
// Invariant: k1 1.2 and b 0.75, the usual values; stop words are removed, and words are stemmed by Porter's first step.
import type { Utterance } from "./read-conversations.ts";

const [k1, b] = [1.2, 0.75];
const stopWords = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself he him his himself she her hers herself it its itself they them " +
    "their theirs themselves what which who whom this that these those am is are was were be been being have has had having do " +
    "does did doing a an the and but if or because as until while of at by for with about against between into through during " +
    "before after above below to from up down in out on off over under again further then once here there when where why how all " +
    "any both each few more most other some such no nor not only own same so than too very s t can will just don should now"
  ).split(" "),
);

/** Returns the indices of utterances, best first, without those that contain no word of the question. */
export function createBm25(utterances: readonly Utterance[]): (question: string) => readonly number[] {
  const documents = utterances.map(({ speaker, text }) => countsOf(`${speaker}: ${text}`));
  const lengths = documents.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
  return (question) => {
    const scores = documents.map(() => 0);
    for (const term of countsOf(question).keys()) {
      const found = documents.filter((counts) => counts.has(term)).length;
      const rarity = Math.log(1 + (documents.length - found + 0.5) / (found + 0.5));
      documents.forEach((counts, index) => {
        const count = counts.get(term) ?? 0;
        const length = lengths[index] ?? 0;
        scores[index] =
          (scores[index] ?? 0) + (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average));
      });
    }
    return scores
      .map((score, index) => ({ score, index }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.index - other.index)
      .map(({ index }) => index);
  };
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (stopWords.has(word)) continue;
    const stem = stemOf(word);
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const singular = word.replace(/ies$/u, "y").replace(/(?<=[^s])s$/u, "");
  const bare = singular.replace(/(?<=[aeiouy].*)(?:ing|ed)$/u, "");
  return (bare.length < 3 ? singular : bare).replace(/([^aeiouls])\1$/u, "$1").replace(/e$/u, "");
}
