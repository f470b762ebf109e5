// Normalizes words for comparison, and quotes text.
// Invariant: pure, and linear in the length of the text.
import { takeCodePoints } from "../../../base/code-points.ts";
import { stopWords } from "../../../base/stop-words.ts";

/** Words that are the topic of a question only when there is no other: "what is X like" is about X. */
const weakWords = new Set(
  "like name called say said tell told know remember mention mentioned talk talked ever find please would could".split(
    " ",
  ),
);
const maxQuote = 300;

/** Returns the topic words of a text, in lower case and without duplicates. */
export function contentWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))].filter((word) => !stopWords.has(word));
  const strong = words.filter((word) => !weakWords.has(word));
  return strong.length > 0 ? strong : words;
}

/** Returns how many of the words a text contains, ignoring their endings. */
export function countMentions(text: string, words: readonly string[]): number {
  const stems = new Set(wordsOf(text).map(stemOf));
  return words.filter((word) => stems.has(stemOf(word))).length;
}

/** Returns the text on one line, in quotation marks, cut after 300 characters. */
export function quote(text: string): string {
  return `"${clip(text)}"`;
}

/** Returns the text on one line, cut after 300 characters. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const head = takeCodePoints(line, maxQuote);
  return head.length < line.length ? `${head}…` : head;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? [];
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ies|ed|es|s|e|y)$/, "");
  return stem.length >= 3 ? stem : word;
}
