// Removes the function words of a German, Spanish or French query. PostgreSQL's English parser knows only English ones: a text
// that shares only a "der" or a "para" with a question would rank like a text that shares a subject.
// Invariant: pure. A query is changed only if it has two function words of one of these languages, and more of them than
// English ones; some word always remains.
import { functionWords, stopWords as english } from "../../base/query-words.ts";

const wholeWord = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}_])/gu;

/** Returns the folded query without the function words of its language. */
export function withoutFunctionWords(folded: string): string {
  const words = folded.match(wholeWord) ?? [];
  const countOf = (some: ReadonlySet<string>): number => words.filter((word) => some.has(word)).length;
  let [language, most] = [english, Math.max(1, countOf(english))];
  for (const other of functionWords) if (countOf(other) > most) [language, most] = [other, countOf(other)];
  if (language === english) return folded;
  const left = folded.replaceAll(wholeWord, (word) => (language.has(word) ? " " : word));
  return /[\p{L}\p{N}]/u.test(left) ? left : folded;
}
