// Finds forgotten texts in other texts and replaces them.
// Invariant: a text is found in upper or lower case and with any white space between its words, also inside JSON that
// was written into a string; no part of a forgotten text is left. A short text that the request does not name is found
// only as a whole word.
import { codePointLength } from "./code-points.ts";
import { foldText, foldWithPlaces, joinedRanges, type TextRange } from "./fold-text.ts";

/** The text that replaces forgotten text; needs no escaping in JSON, SQL or a prompt. */
export const forgottenMark = "[forgotten]";

export interface Redactor {
  has(text: string): boolean;
  /** Returns the text with `mark` instead of each forgotten text; the same string if it has none. */
  redact(text: string, mark?: string): string;
  /** Returns the first forgotten text with some words around it, on one line; null if there is none. */
  excerpt(text: string): string | null;
}

/** Minimum number of letters and digits in a text to forget: a shorter one occurs by chance in other texts. */
export const minLetters = 3;

/** Returns the number of letters and digits. */
export function countLetters(text: string): number {
  return [...text.matchAll(/[\p{L}\p{N}]/gu)].length;
}

/** Minimum code points of a text that is always found inside of words: a text this long hardly occurs by chance. */
export const minWholeText = 16;

/**
 * Creates a redactor that replaces these texts; blank texts are ignored. `asked`: the texts that the request names,
 * also found inside of words. Other texts of less than `minWholeText` code points are found only as whole words.
 */
export function createRedactor(texts: readonly string[], asked = texts): Redactor {
  const named = new Set(asked.map((text) => text.trim()));
  const isWord = (text: string): boolean => !named.has(text) && codePointLength(text) < minWholeText;
  const patternFor = (text: string, pattern: string) => (isWord(text) ? wholeWords(text, pattern) : pattern);
  const wanted = [...new Set(texts.map((text) => text.trim()))].filter((text) => foldText(text).trim() !== "");
  // The longest text comes first in the pattern: if a text contains another one, the whole text is replaced.
  const longestFirst = wanted.toSorted((one, other) => other.length - one.length);
  const folded = patternOf(longestFirst.map((text) => patternFor(text, foldedPattern(foldText(text).trim()))));
  // Texts with a letter such as é are also searched in the unfolded text, where JSON may have escaped it: `\u00e9`.
  const withMarks = longestFirst.filter((text) => /[^\p{ASCII}]/u.test(text));
  const escaped = patternOf(withMarks.map((text) => patternFor(text, escapedPattern(text))));
  const has = (text: string): boolean => isFound(folded, foldText(text)) || isFound(escaped, text);
  const placesIn = (text: string): readonly TextRange[] => {
    const found = foldWithPlaces(text);
    const inFolded = matchesOf(folded, found.folded).map(({ start, end }) => found.placeOf(start, end));
    const places = joinedRanges([...inFolded, ...matchesOf(escaped, text)]);
    // `has` folds the whole text, and `foldWithPlaces` piece by piece: if only `has` finds a match, the whole text is replaced.
    return places.length === 0 ? [{ start: 0, end: text.length }] : places;
  };
  return {
    has,
    redact: (text, mark = forgottenMark) => (has(text) ? replaced(text, placesIn(text), mark) : text),
    excerpt: (text) => (has(text) ? around(text, placesIn(text)[0]!) : null),
  };
}

/** Matches digits, and letters that have upper and lower case. Other scripts, such as Chinese, do not always separate words. */
const inWord = String.raw`[\p{Lu}\p{Ll}\p{N}]`;
/** The start of a word, which may also follow an escape of JSON: `\n`, or `\u003c`. */
const wordStart = String.raw`(?:(?<!${inWord})|(?<=\\(?:[bfnrt]|u[\da-f]{4})))`;

/** Returns the pattern of a text that is found only if its first and last word are whole. */
function wholeWords(text: string, pattern: string): string {
  const [start, end] = [new RegExp(`^${inWord}`, "u"), new RegExp(`${inWord}$`, "u")];
  return `${start.test(text) ? wordStart : ""}${pattern}${end.test(text) ? `(?!${inWord})` : ""}`;
}

function patternOf(alternatives: readonly string[]): RegExp | null {
  return alternatives.length === 0 ? null : new RegExp(alternatives.join("|"), "giu");
}

function isFound(pattern: RegExp | null, text: string): boolean {
  if (pattern === null) return false;
  pattern.lastIndex = 0;
  return pattern.test(text);
}

function matchesOf(pattern: RegExp | null, text: string): readonly TextRange[] {
  if (pattern === null) return [];
  pattern.lastIndex = 0;
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
}

/** White space of any length, also escaped as `\n`, or as `\\n` and so on in JSON that is nested in strings. */
const space = String.raw`(?:\s|\\+[nrt])+`;

function foldedPattern(text: string): string {
  return text
    .split(/\s+/u)
    .map((word) => [...word].map(characterPattern).join(""))
    .join(space);
}

function escapedPattern(text: string): string {
  return text
    .split(/\s+/u)
    .map((word) => [...word].map((character) => unicodePattern(character) ?? characterPattern(character)).join(""))
    .join(space);
}

/** Returns the pattern of one character, with the backslashes that nested JSON puts before some characters. */
function characterPattern(character: string): string {
  if (character === "\\") return String.raw`\\+`;
  if (character === '"' || character === "/") return String.raw`\\*${character}`;
  // In retrieved items, `<` is escaped as `\u003c`, so that they contain no tag.
  if (character === "<") return String.raw`(?:<|\\+u003c)`;
  return character.replaceAll(/[$()*+.?[\]^{|}]/gu, String.raw`\$&`);
}

function unicodePattern(character: string): string | null {
  if (/\p{ASCII}/u.test(character)) return null;
  const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  const escapes = [...forms].map((form) =>
    Array.from({ length: form.length }, (_, at) => unitPattern(form, at)).join(""),
  );
  return `(?:${[character, ...escapes].join("|")})`;
}

function unitPattern(text: string, at: number): string {
  return String.raw`\\+u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

function replaced(text: string, places: readonly TextRange[], mark: string): string {
  let from = 0;
  const pieces: string[] = [];
  for (const { start, end } of places) {
    pieces.push(text.slice(from, start), mark);
    from = end;
  }
  return [...pieces, text.slice(from)].join("");
}

/** UTF-16 units of an excerpt before and after the found text. */
const excerptMargin = 40;

function around(text: string, { start, end }: TextRange): string {
  const from = Math.max(0, start - excerptMargin);
  const to = Math.min(text.length, end + excerptMargin);
  const line = text.slice(from, to).toWellFormed().replaceAll(/\s+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${line}${to < text.length ? "…" : ""}`;
}
