// Computes the share of a query's words that a text contains, for in-memory searches without vectors.
// Invariant: pure, and linear in the length of the text, whatever the length of the query.

/**
 * Returns a function from a text to the share of the query's terms that it contains, ignoring case and width. The query
 * is parsed once.
 */
export function wordRelevance(query: string): (text: string) => number {
  const terms = termsOf(fold(query));
  return (text) => {
    const folded = fold(text);
    return terms.filter((term) => folded.includes(term)).length / Math.max(1, terms.length);
  };
}

/** Maximum terms: more hardly change a ranking, and each costs a scan of every text. */
const maxTerms = 64;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Returns words, and pairs of letters for scripts without spaces. A query without words is one term. */
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
