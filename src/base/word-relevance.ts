// How much of a query's words a text has: for searches in memory that have no vectors.
// Invariant: pure, and linear in the length of the text, however long the query is.

/** The share of the query's terms that a text has; case and width do not matter. A function, so that the query is read once. */
export function wordRelevance(query: string): (text: string) => number {
  const terms = termsOf(fold(query));
  return (text) => {
    const folded = fold(text);
    return terms.filter((term) => folded.includes(term)).length / Math.max(1, terms.length);
  };
}

/** Beyond these, more terms change a ranking little and cost a scan of every text each. */
const maxTerms = 64;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Words; of scripts that put no spaces between them, pairs of letters. What has no words at all is one term as it stands. */
function termsOf(query: string): readonly string[] {
  const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [query.trim()].filter((whole) => whole !== "");
  const terms = words.flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [word]));
  return [...new Set(terms)].slice(0, maxTerms);
}

function pairsOf(word: string): readonly string[] {
  const letters = Array.from(word).slice(0, maxTerms + 1);
  return letters.length < 2 ? letters : letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
