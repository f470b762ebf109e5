// What a person's or a model's query asks for: a literal, or words and other terms of which any will do.
// Invariant: nothing in a query is syntax except one pair of double quotes around all of it.
import { takeCodePoints } from "../../base/code-points.ts";
import { quotedLiteral } from "../../base/quoted-literal.ts";
import { foldText } from "../../base/fold-text.ts";
import { queryTerms } from "./lexical-terms.ts";

export interface SearchTerms {
  /** A LIKE pattern of the whole query, or null when there is nothing to look for. */
  readonly pattern: string | null;
  /** Only what holds the pattern is asked for. */
  readonly isLiteral: boolean;
  /** Folded text whose words are looked for, any of them; empty for none. */
  readonly words: string;
  /** What else is looked for, and which of it are identifiers: texts of `tsquery`, or null. */
  readonly terms: string | null;
  readonly identifiers: string | null;
  /** Of a literal: whole words in it, all of which a text that holds it has. Texts without them need not be looked at. */
  readonly innerWords: string;
}

// PostgreSQL holds a few ten thousand words in a query; a question has fewer, and every one costs a comparison per row.
const wordsLimit = 2000;

export function searchTermsOf(query: string): SearchTerms {
  const quoted = quotedLiteral(query);
  return quoted === undefined ? anyTerms(query.trim()) : literalTerms(quoted);
}

function anyTerms(text: string): SearchTerms {
  const folded = foldText(text);
  const { any, identifiers } = queryTerms(folded);
  const words = takeCodePoints(folded, wordsLimit);
  return { pattern: patternOf(text), isLiteral: false, words, terms: any, identifiers, innerWords: "" };
}

function literalTerms(literal: string): SearchTerms {
  const innerWords = innerWordsOf(takeCodePoints(foldText(literal), wordsLimit));
  return { pattern: patternOf(literal), isLiteral: true, words: "", terms: null, identifiers: null, innerWords };
}

/** Those between spaces, of plain letters: the first and the last word of a literal may be parts of longer ones. */
function innerWordsOf(folded: string): string {
  return folded
    .split(/[ \t\r\n]+/u)
    .slice(1, -1)
    .filter((word) => /^[a-z]+$/u.test(word))
    .join(" ");
}

/** A LIKE pattern that matches what contains the text, whatever characters are in it. */
function patternOf(literal: string): string | null {
  return literal === "" ? null : `%${foldText(literal).replaceAll(/[\\%_]/gu, "\\$&")}%`;
}
