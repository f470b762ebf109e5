// Finds forgotten texts in other texts and replaces them.
// Invariant: a text is found in upper or lower case and with any white space between its words, also inside JSON that
// was written into a string; replacing never leaves a part of it.
import { foldText, foldWithPlaces } from "./fold-text.ts";

/** The text that replaces forgotten text; needs no escaping in JSON, SQL or a prompt. */
export const forgottenMark = "[forgotten]";

export interface Redactor {
  has(text: string): boolean;
  /** Returns the text with `mark` instead of each forgotten text; the same string if it has none. */
  redact(text: string, mark?: string): string;
  /** Returns the first forgotten text with some words around it, on one line; null if there is none. */
  excerpt(text: string): string | null;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Creates a redactor of these texts; blank texts are ignored. */
export function createRedactor(texts: readonly string[]): Redactor {
  const wanted = [...new Set(texts.map((text) => text.trim()))].filter((text) => foldText(text).trim() !== "");
  // The longest text is replaced first: a text that contains another one is replaced as a whole.
  const longestFirst = wanted.toSorted((one, other) => other.length - one.length);
  const folded = patternOf(longestFirst.map((text) => foldedPattern(foldText(text).trim())));
  // Folding cannot see a letter that JSON has escaped, such as `\u00e9`.
  const escaped = patternOf(longestFirst.filter((text) => /[^\p{ASCII}]/u.test(text)).map(escapedPattern));
  const has = (text: string): boolean => isFound(folded, foldText(text)) || isFound(escaped, text);
  const placesIn = (text: string): readonly Place[] => {
    const found = foldWithPlaces(text);
    const inFolded = matchesOf(folded, found.folded).map(({ start, end }) => found.placeOf(start, end));
    const places = joined([...inFolded, ...matchesOf(escaped, text)]);
    // Folding piece by piece can differ from folding the whole text: then the whole text is replaced.
    return places.length === 0 ? [{ start: 0, end: text.length }] : places;
  };
  return {
    has,
    redact: (text, mark = forgottenMark) => (has(text) ? replaced(text, placesIn(text), mark) : text),
    excerpt: (text) => (has(text) ? around(text, placesIn(text)[0]!) : null),
  };
}

function patternOf(alternatives: readonly string[]): RegExp | null {
  return alternatives.length === 0 ? null : new RegExp(alternatives.join("|"), "giu");
}

function isFound(pattern: RegExp | null, text: string): boolean {
  if (pattern === null) return false;
  pattern.lastIndex = 0;
  return pattern.test(text);
}

function matchesOf(pattern: RegExp | null, text: string): readonly Place[] {
  if (pattern === null) return [];
  pattern.lastIndex = 0;
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
}

/** White space of any length, also as the escapes `\n`, `\\n` and so on of JSON that is nested in strings at any depth. */
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

/** Returns the pattern of one character, with the backslashes that JSON inside of a string adds before some characters. */
function characterPattern(character: string): string {
  if (character === "\\") return String.raw`\\+`;
  if (character === '"' || character === "/") return String.raw`\\*${character}`;
  // Retrieved items contain `<` in this escaped form, so that they contain no tag.
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

/** Joins places that touch or overlap. */
function joined(places: readonly Place[]): readonly Place[] {
  const ordered = places.toSorted((one, other) => one.start - other.start);
  const result: Place[] = [];
  for (const place of ordered) {
    const last = result.at(-1);
    if (last !== undefined && place.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, place.end) };
    else result.push(place);
  }
  return result;
}

function replaced(text: string, places: readonly Place[], mark: string): string {
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

function around(text: string, { start, end }: Place): string {
  const from = Math.max(0, start - excerptMargin);
  const to = Math.min(text.length, end + excerptMargin);
  const line = text.slice(from, to).toWellFormed().replaceAll(/\s+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${line}${to < text.length ? "…" : ""}`;
}
