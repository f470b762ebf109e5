// Parses a query into a literal, or into words and other terms, any of which may match.
// Invariant: pure; the only syntax in a query is one pair of double quotes around all of it. Function words of German,
// Spanish or French are removed only if a query has at least two of them, and more than English ones; a query never becomes
// empty.
import { takeCodePoints } from "../../base/code-points.ts";
import { functionWords, quotedLiteral, stopWords as english } from "../../base/query-words.ts";
import { foldText } from "../../base/fold-text.ts";
import { queryTerms } from "./lexical-terms.ts";

export interface SearchTerms {
  /** A LIKE pattern of the whole query, or null if the query is empty. */
  readonly pattern: string | null;
  /** Whether the query is a literal: then only texts that match `pattern` are found. */
  readonly isLiteral: boolean;
  /** The query's words, as folded text; empty if there are none. A text that contains any of them matches. */
  readonly words: string;
  /** Search terms besides the words, and the identifiers among them: a `tsquery` as text, or null. */
  readonly terms: string | null;
  readonly identifiers: string | null;
  /** For a literal: its words except the first and the last. Only texts that contain them need be compared with the pattern. */
  readonly innerWords: string;
}

// Maximum code points of a query's words. A question is shorter, and each further word costs a comparison per row.
const wordsLimit = 2000;

/**
 * For a query with more than `max_terms` terms, only those that are rarest in the `sampled` newest texts are searched,
 * because the cost of a search is the number of its terms times the number of texts that contain any of them. Most
 * questions have fewer terms.
 */
export const longQueries = { max_terms: 16, sampled: 200 } as const;

export function searchTermsOf(query: string): SearchTerms {
  const quoted = quotedLiteral(query);
  return quoted === undefined ? anyTerms(query.trim()) : literalTerms(quoted);
}

function anyTerms(text: string): SearchTerms {
  const folded = foldText(text);
  const { any, identifiers } = queryTerms(folded);
  const words = withoutFunctionWords(takeCodePoints(folded, wordsLimit));
  return { pattern: patternOf(text), isLiteral: false, words, terms: any, identifiers, innerWords: "" };
}

function literalTerms(literal: string): SearchTerms {
  const innerWords = innerWordsOf(takeCodePoints(foldText(literal), wordsLimit));
  return { pattern: patternOf(literal), isLiteral: true, words: "", terms: null, identifiers: null, innerWords };
}

/**
 * Returns the words that are surrounded by spaces and have only the letters a to z. The first and the last word are left out,
 * because they may be parts of longer words.
 */
function innerWordsOf(folded: string): string {
  return folded
    .split(/[ \t\r\n]+/u)
    .slice(1, -1)
    .filter((word) => /^[a-z]+$/u.test(word))
    .join(" ");
}

/** Returns a LIKE pattern for texts that contain the literal, with all its characters escaped; null if it is empty. */
function patternOf(literal: string): string | null {
  return literal === "" ? null : `%${foldText(literal).replaceAll(/[\\%_]/gu, "\\$&")}%`;
}

const wholeWord = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}_])/gu;

/**
 * Returns the folded query without the German, Spanish or French function words. PostgreSQL's English parser knows only
 * English ones: a text that shares only a "der" or a "para" with a question would rank like a text about the same
 * subject.
 */
export function withoutFunctionWords(folded: string): string {
  const words = folded.match(wholeWord) ?? [];
  const countOf = (some: ReadonlySet<string>): number => words.filter((word) => some.has(word)).length;
  let [language, most] = [english, Math.max(1, countOf(english))];
  for (const other of functionWords) if (countOf(other) > most) [language, most] = [other, countOf(other)];
  if (language === english) return folded;
  const left = folded.replaceAll(wholeWord, (word) => (language.has(word) ? " " : word));
  return /[\p{L}\p{N}]/u.test(left) ? left : folded;
}
