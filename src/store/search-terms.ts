// What a person's or a model's query asks for: a literal, words, or fragments of a script without spaces.
// Invariant: nothing in a query is syntax except one pair of double quotes around all of it.
import { takeCodePoints } from "../base/code-points.ts";
import { containsPattern, foldText } from "./fold-text.ts";

export interface SearchTerms {
  /** A LIKE pattern of the whole query, or null when there is nothing to look for. */
  readonly pattern: string | null;
  /** Folded text whose words are looked for, any of them; empty for none. */
  readonly words: string;
  /** LIKE patterns of every two neighbouring characters, for scripts without spaces. */
  readonly fragments: readonly string[];
}

const fragmentLimit = 40;
// PostgreSQL holds a few ten thousand words in a query; a question has fewer, and every one costs a comparison per row.
const wordsLimit = 2000;
const spaceless = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々〆]{3,}$/u;

export function searchTermsOf(query: string): SearchTerms {
  const text = query.trim();
  const quoted = /^"(?<literal>[\s\S]*)"$/u.exec(text)?.groups?.["literal"];
  if (quoted !== undefined) return { pattern: patternOf(quoted), words: "", fragments: [] };
  return {
    pattern: patternOf(text),
    words: takeCodePoints(foldText(text), wordsLimit),
    fragments: fragmentsOf(foldText(text)),
  };
}

function patternOf(literal: string): string | null {
  return literal === "" ? null : containsPattern(foldText(literal));
}

function fragmentsOf(folded: string): readonly string[] {
  const letters = [...folded.replaceAll(/[\p{P}\s]/gu, "")];
  if (!spaceless.test(letters.join(""))) return [];
  const pairs = letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
  return [...new Set(pairs)].slice(0, fragmentLimit).map(containsPattern);
}
