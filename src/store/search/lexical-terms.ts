// Produces search terms that PostgreSQL's English parser does not: identifiers without their separators, scripts without
// spaces, emoji, and parts of long words.
// Invariant: a text and a query with the same characters get the same terms; the terms always fit into a tsvector.
import { takeCodePoints } from "../../base/code-points.ts";
import { emoji, pairsOf, unspacedRun } from "../../base/query-words.ts";

/** The terms that a query adds to its words. Each is a PostgreSQL `tsquery` as text, or null if there are none. */
export interface QueryTerms {
  /** Matches any of the terms. */
  readonly any: string | null;
  /** Matches any of the identifiers. Their exact matches score higher. */
  readonly identifiers: string | null;
}

// Maximum characters: a tsvector holds 1 MB, of which the words of 100,000 characters take at most two thirds.
const textLimit = 100_000;
const maxTerms = 8000;
const maxBytes = 120_000;
const maxQueryTerms = 64;
/** Prefix of a word's part in the index. PostgreSQL's parser treats it as a space, so no whole word begins with it. */
const partMark = "~";

const pieces = /\S{1,200}/gu;
const hasMark = /[^\p{L}\p{M}\p{N}]/u;
// Names joined by characters that usually end a word: user_id, foo.bar, a::b, src/main.ts, ada@host, 3-4.
const chained =
  /[\p{L}\p{M}\p{N}_$]+(?:(?:->|[.\-/:@\\]{1,3})[\p{L}\p{M}\p{N}_$]+)+|[\p{L}\p{M}\p{N}$]*_[\p{L}\p{M}\p{N}_$]*/gu;
// Words that include a mark: 100%, c++, c#, #42, @ada, --flag, $5.
const marked = /[\p{L}\p{N}]+(?:%|\+\+|#|°)|(?<![\p{L}\p{N}_])(?:--|[#@$€£])[\p{L}\p{N}][\p{L}\p{N}_-]*/gu;
const separators = /[^\p{L}\p{M}\p{N}]+/gu;
/**
 * Minimum length of a name that is stored without its separators. A shorter name keeps its separators unless it has both
 * letters and digits, so that 10:30 does not become 1030.
 */
const minJoined = 6;
// Names of letters and digits with a space between: LH 438, M-KV 2207.
const spacedName = /(?<![\p{L}\p{M}\p{N}])((?:\p{L}{1,3}-)?\p{L}{1,4}) (\d{2,8})(?=[\s,;!?)]|\.?$|\.\s)/gu;
// `long`: words that can be compounds. `prefixed`: words that can have an attached article or preposition.
const long = /[\p{L}\p{M}]{12,64}/gu;
const prefixed = /[\p{Script=Arabic}\p{Script=Hebrew}\p{M}]{4,64}/gu;
/** Minimum letters of a word's part, so that a part such as "able" does not match half of all long words. */
const minPart = { long: 6, prefixed: 3 } as const;
const askedParts = /[\p{L}\p{M}]{6,64}|[\p{Script=Arabic}\p{Script=Hebrew}\p{M}]{3,5}/gu;

/**
 * Returns the terms of a folded text as a `tsvector` in text form; null if there are none. Parts of words have weight C,
 * other terms A.
 */
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
  // Names with a space, such as "LH 438", are joined in texts only, because "in 2024" in a query would be joined, too.
  for (const [, letters = "", digits = ""] of text.matchAll(spacedName)) yield letters.replace("-", "") + digits;
  for (const [run] of text.matchAll(unspacedRun)) yield* [...pairsOf(run), Array.from(run).at(-1) ?? ""];
  const spaced = text.replaceAll(unspacedRun, " ");
  for (const [word] of spaced.matchAll(prefixed)) yield* endingsOf(word, minPart.prefixed);
  for (const [word] of spaced.matchAll(long)) yield* endingsOf(word, minPart.long);
}

// Applies the patterns for names to pieces of limited length, because on a long text they would backtrack too much.
function* identifiersIn(text: string): Generator<string> {
  for (const [piece] of text.matchAll(pieces)) {
    if (!hasMark.test(piece)) continue;
    for (const [found] of piece.matchAll(chained)) yield termOf(found);
    for (const [found] of piece.matchAll(marked)) yield found;
  }
  for (const [found] of text.matchAll(emoji)) yield found;
}

/** Returns the name without separators, `qx744k` for `qx7-44k`, so that it matches however it is separated. */
function termOf(name: string): string {
  const parts = name.split(separators).filter((part) => part !== "");
  const joined = parts.join("");
  const isName = joined.length >= minJoined || (/\d/u.test(joined) && /\p{L}/u.test(joined));
  return parts.length > 1 && isName ? joined : name;
}

export function queryTerms(folded: string): QueryTerms {
  const text = takeCodePoints(folded, 2000);
  const identifiers = [...new Set(identifiersIn(text))].slice(0, maxQueryTerms).map(quoted);
  const parts = [...new Set(partsIn(text))].slice(0, maxQueryTerms);
  const any = [...identifiers, ...parts];
  return { any: anyOf(any), identifiers: anyOf(identifiers) };
}

/** Yields pairs of letters (for scripts without spaces), and a prefix pattern per word, which matches inside longer words. */
function* partsIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(unspacedRun)) {
    const pairs = pairsOf(run);
    yield* pairs.length === 0 ? [`${quoted(run)}:*`] : pairs.map(quoted);
  }
  for (const [word] of text.replaceAll(unspacedRun, " ").matchAll(askedParts)) yield `${quoted(partMark + word)}:*`;
}

/** Returns the endings of a word, one starting at each letter. The prefix `partMark` distinguishes them from whole words. */
function endingsOf(word: string, min: number): readonly string[] {
  const letters = Array.from(word);
  return letters.slice(0, letters.length - min + 1).map((_, place) => partMark + letters.slice(place).join(""));
}

function anyOf(terms: readonly string[]): string | null {
  return terms.length === 0 ? null : terms.join(" | ");
}

/** Returns a lexeme quoted for `tsvector` and `tsquery`. */
function quoted(term: string): string {
  return `'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
