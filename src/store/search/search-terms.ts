// Parses a query: a literal, or words and other terms of which any may match.
// Invariant: the only syntax in a query is one pair of double quotes around all of it.
import { takeCodePoints } from "../../base/code-points.ts";
import { quotedLiteral } from "../../base/query-words.ts";
import { foldText } from "../../base/fold-text.ts";
import { withoutFunctionWords } from "./function-words.ts";
import { queryTerms } from "./lexical-terms.ts";

export interface SearchTerms {
  /** A LIKE pattern of the whole query, or null if the query is empty. */
  readonly pattern: string | null;
  /** Only texts that match the pattern are wanted. */
  readonly isLiteral: boolean;
  /** Folded text whose words are searched, any of them; empty for none. */
  readonly words: string;
  /** Other terms, and the identifiers among them: text of `tsquery`, or null. */
  readonly terms: string | null;
  readonly identifiers: string | null;
  /** For a literal: its whole words, which every matching text contains. Other texts need not be compared. */
  readonly innerWords: string;
}

// PostgreSQL allows tens of thousands of words in a query; a question has fewer, and each costs a comparison per row.
const wordsLimit = 2000;

/**
 * Of a query with more terms than this, the rarest among the newest texts are searched: the cost of a search is the
 * product of its terms and the texts that contain any. Questions have fewer.
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

/** Words between spaces, of plain letters only: the first and last word of a literal may be parts of longer words. */
function innerWordsOf(folded: string): string {
  return folded
    .split(/[ \t\r\n]+/u)
    .slice(1, -1)
    .filter((word) => /^[a-z]+$/u.test(word))
    .join(" ");
}

/** Returns a LIKE pattern that matches texts containing this one, with all characters escaped. */
function patternOf(literal: string): string | null {
  return literal === "" ? null : `%${foldText(literal).replaceAll(/[\\%_]/gu, "\\$&")}%`;
}
