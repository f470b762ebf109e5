// Terms of a text that PostgreSQL's parser for English does not make: identifiers whole, scripts without spaces, emoji, and the
// inner parts of long words.
// Invariant: a text and a query that hold the same characters get the same terms; what is made fits into a tsvector, however
// long and odd the text is.
import { takeCodePoints } from "../../base/code-points.ts";
import { emoji, pairsOf, unspacedRun } from "../../base/unspaced-scripts.ts";

/** What a query adds to its words. Both are texts of PostgreSQL's `tsquery`, or null when there is nothing. */
export interface QueryTerms {
  /** Any of its terms. */
  readonly any: string | null;
  /** Its identifiers alone, any of them: what stands as it was written is worth more. */
  readonly identifiers: string | null;
}

// A tsvector holds 1 MB, of which the words of 100,000 characters take at most two thirds.
const textLimit = 100_000;
const maxTerms = 8000;
const maxBytes = 120_000;
const maxQueryTerms = 64;
/** What a part of a word begins with; no word does, since the parser takes it for a space. */
const partMark = "~";

const pieces = /\S{1,200}/gu;
const hasMark = /[^\p{L}\p{M}\p{N}]/u;
// Names with something inside that ends a word elsewhere: user_id, foo.bar, a::b, src/main.ts, ada@host, 3-4.
const chained =
  /[\p{L}\p{M}\p{N}_$]+(?:(?:->|[.\-/:@\\]{1,3})[\p{L}\p{M}\p{N}_$]+)+|[\p{L}\p{M}\p{N}$]*_[\p{L}\p{M}\p{N}_$]*/gu;
// Words whose mark is part of them: 100%, c++, c#, #42, @ada, --flag, $5.
const marked = /[\p{L}\p{N}]+(?:%|\+\+|#|°)|(?<![\p{L}\p{N}_])(?:--|[#@$€£])[\p{L}\p{N}][\p{L}\p{N}_-]*/gu;
// Compounds, and words that carry their article and their preposition in front.
const long = /[\p{L}\p{M}]{12,64}/gu;
const prefixed = /[\p{Script=Arabic}\p{Script=Hebrew}\p{M}]{4,64}/gu;
/** Letters that a part of a word has at least: less would find "able" in half of all long words. */
const minPart = { long: 6, prefixed: 3 } as const;
const askedParts = /[\p{L}\p{M}]{6,64}|[\p{Script=Arabic}\p{Script=Hebrew}\p{M}]{3,5}/gu;

/** The terms of a folded text as text of a `tsvector`; null when it has none. Parts of words have weight C, all others A. */
export function indexedTerms(folded: string): string | null {
  const text = takeCodePoints(folded, textLimit);
  const terms = new Set<string>();
  let bytes = 0;
  for (const term of termsIn(text)) {
    if (terms.has(term)) continue;
    bytes += Buffer.byteLength(term);
    if (terms.size >= maxTerms || bytes > maxBytes) break;
    terms.add(term);
  }
  if (terms.size === 0) return null;
  return [...terms]
    .map((term, place) => `${quoted(term)}:${place + 1}${term.startsWith(partMark) ? "C" : "A"}`)
    .join(" ");
}

function* termsIn(text: string): Generator<string> {
  yield* identifiersIn(text);
  for (const [run] of text.matchAll(unspacedRun)) yield* [...pairsOf(run), Array.from(run).at(-1) ?? ""];
  const spaced = text.replaceAll(unspacedRun, " ");
  for (const [word] of spaced.matchAll(prefixed)) yield* endingsOf(word, minPart.prefixed);
  for (const [word] of spaced.matchAll(long)) yield* endingsOf(word, minPart.long);
}

// The patterns for names go back over what they have read: on pieces of bounded length that costs nothing.
function* identifiersIn(text: string): Generator<string> {
  for (const [piece] of text.matchAll(pieces)) {
    if (!hasMark.test(piece)) continue;
    for (const pattern of [chained, marked]) for (const [found] of piece.matchAll(pattern)) yield found;
  }
  for (const [found] of text.matchAll(emoji)) yield found;
}

/** The terms of a folded query. */
export function queryTerms(folded: string): QueryTerms {
  const text = takeCodePoints(folded, 2000);
  const identifiers = [...new Set(identifiersIn(text))].slice(0, maxQueryTerms).map(quoted);
  const parts = [...new Set(partsIn(text))].slice(0, maxQueryTerms);
  const any = [...identifiers, ...parts];
  return { any: anyOf(any), identifiers: anyOf(identifiers) };
}

/** Pairs of letters as they stand, and words as the beginning of what stands from some letter on in a longer one. */
function* partsIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(unspacedRun)) {
    const pairs = pairsOf(run);
    yield* pairs.length === 0 ? [`${quoted(run)}:*`] : pairs.map(quoted);
  }
  for (const [word] of text.replaceAll(unspacedRun, " ").matchAll(askedParts)) yield `${quoted(partMark + word)}:*`;
}

/** What stands from each of a word's letters on, marked so that it is no word of its own. */
function endingsOf(word: string, min: number): readonly string[] {
  const letters = Array.from(word);
  return letters.slice(0, letters.length - min + 1).map((_, place) => partMark + letters.slice(place).join(""));
}

function anyOf(terms: readonly string[]): string | null {
  return terms.length === 0 ? null : terms.join(" | ");
}

/** A lexeme as texts of `tsvector` and `tsquery` have it. */
function quoted(term: string): string {
  return `'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
