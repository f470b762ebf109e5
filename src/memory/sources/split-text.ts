// Splits a text at structural boundaries: paragraphs and sentences of prose, blocks and lines of code.
// Invariant: the concatenated pieces equal the text; no piece exceeds the maximum tokens or splits a grapheme, unless a
// single grapheme exceeds the maximum.
import { takeCodePoints } from "../../base/code-points.ts";
import type { SectionStyle } from "./section.ts";

export interface Piece {
  /** Index in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  /** How suitable the end of the piece is as the end of a passage: higher is better. */
  readonly bond: 0 | 1 | 2;
}

export interface SplitOptions {
  readonly style: SectionStyle;
  readonly maxTokens: number;
  countTokens(text: string): number;
}

type Cut = (text: string) => Iterable<string>;

/** Yields the pieces one by one, so that a reader can pause. */
export function* splitText(text: string, options: SplitOptions): Generator<Piece> {
  let start = 0;
  for (const block of options.style === "code" ? codeBlocks(text) : paragraphs(text)) {
    for (const { item: part, isLast } of withLast(splitBlock(block, options))) {
      const end = start + part.text.length;
      yield { start, end, tokens: part.tokens, bond: isLast ? 2 : part.bond };
      start = end;
    }
  }
}

function* withLast<Item>(items: Iterable<Item>): Generator<{ readonly item: Item; readonly isLast: boolean }> {
  let before: { readonly item: Item } | undefined;
  for (const item of items) {
    if (before !== undefined) yield { ...before, isLast: false };
    before = { item };
  }
  if (before !== undefined) yield { ...before, isLast: true };
}

interface Part {
  readonly text: string;
  readonly tokens: number;
  readonly bond: 0 | 1;
}

/** Ways to split, best first; each is tried if the previous one leaves a piece that is too long. */
const cuts: Readonly<Record<SectionStyle, readonly Cut[]>> = {
  prose: [sentences, lines, words],
  code: [lines, words],
};

function* splitBlock(block: string, options: SplitOptions): Generator<Part> {
  const [first = lines, ...others] = cuts[options.style];
  for (const text of first(block)) yield* splitPart(text, others, options);
}

function* splitPart(text: string, [cut, ...others]: readonly Cut[], options: SplitOptions): Generator<Part> {
  const tokens = text.length > options.maxTokens * maxTokenLength ? Infinity : options.countTokens(text);
  if (tokens <= options.maxTokens) yield { text, tokens, bond: 1 };
  else if (cut === undefined) yield* splitRun(text, options);
  else {
    for (const { item: part, isLast } of withLast(partsOf(cut(text), others, options)))
      yield isLast ? part : { ...part, bond: 0 };
  }
}

function* partsOf(texts: Iterable<string>, others: readonly Cut[], options: SplitOptions): Generator<Part> {
  for (const text of texts) yield* splitPart(text, others, options);
}

/** Maximum characters of a token in any supported tokenizer: a text of more than 64 × `maxTokens` is over the limit. */
const maxTokenLength = 64;

/** Returns paragraphs; each includes the blank lines after it. */
function paragraphs(text: string): readonly string[] {
  return joined(lines(text), (before, line) => isBlank(before) && !isBlank(line));
}

/** Returns blocks of code; each starts at an unindented line after a blank line: usually a function with its comment. */
function codeBlocks(text: string): readonly string[] {
  return joined(lines(text), (before, line) => isBlank(before) && /^\S/u.test(line));
}

function lines(text: string): readonly string[] {
  return text.split(/(?<=\n)/u);
}

function isBlank(line: string): boolean {
  return !/\S/u.test(line);
}

/** Joins lines into parts; `begins` decides which line starts a new part. */
function joined(all: readonly string[], begins: (before: string, line: string) => boolean): readonly string[] {
  const parts: string[][] = [];
  all.forEach((line, index) => {
    if (index === 0 || begins(all[index - 1]!, line)) parts.push([line]);
    else parts.at(-1)!.push(line);
  });
  return parts.map((part) => part.join(""));
}

// The rules of Unicode (UAX 29) hardly differ by language; a fixed language makes the split the same on every machine.
const bySentence = new Intl.Segmenter("en", { granularity: "sentence" });
const byCharacter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Code units segmented at once: the segmenter's time is quadratic in the length of the text. */
const sentenceWindow = 2048;

function* sentences(text: string): Generator<string> {
  // A line end also ends a sentence (UAX 29), so each line is segmented by itself.
  for (const line of lines(text)) yield* sentencesOfLine(line);
}

function* sentencesOfLine(line: string): Iterable<string> {
  // Some files have many blank lines, and segmenting a blank line takes 50 microseconds.
  if (line.length < sentenceWindow && isBlank(line)) {
    yield line;
    return;
  }
  let start = 0;
  while (start < line.length) {
    const text = line.slice(start, start + sentenceWindow);
    const found = Array.from(bySentence.segment(text), ({ segment }) => segment);
    const isCut = start + text.length < line.length;
    // The last sentence may continue after the window.
    const whole = isCut ? found.slice(0, -1) : found;
    const taken = whole.length > 0 ? whole : [wordPrefix(text)];
    yield* taken;
    start += taken.reduce((sum, sentence) => sum + sentence.length, 0);
  }
}

/** Returns the prefix of a text up to its last space, or else up to its last whole grapheme. */
function wordPrefix(text: string): string {
  const space = text.lastIndexOf(" ");
  return space > 0 ? text.slice(0, space + 1) : charactersOf(text, true).join("");
}

function* words(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\s*\S+\s*|\s+/gu)) yield word;
}

/** Splits a run of text without spaces or line ends into parts, each of as many whole graphemes as fit. */
function* splitRun(run: string, options: SplitOptions): Generator<Part> {
  let start = 0;
  while (start < run.length) {
    const text = run.slice(start, start + options.maxTokens * runToken);
    const characters = charactersOf(text, start + text.length < run.length);
    const whole = maxPrefix(characters, options);
    const part = whole === "" ? maxPrefix(Array.from(characters[0]!), options) || takeCodePoints(text, 1) : whole;
    yield { text: part, tokens: options.countTokens(part), bond: 0 };
    start += part.length;
  }
}

/** Maximum code units of a run that are segmented at once, for each allowed token: segmenting graphemes is slow. */
const runToken = 4;

/** Returns the longest prefix within the maximum tokens, by bisection; empty if the first grapheme alone exceeds it. */
function maxPrefix(units: readonly string[], { countTokens, maxTokens }: SplitOptions): string {
  let [fits, over] = [0, units.length + 1];
  while (over - fits > 1) {
    const middle = (fits + over) >>> 1;
    if (countTokens(units.slice(0, middle).join("")) <= maxTokens) fits = middle;
    else over = middle;
  }
  return units.slice(0, fits).join("");
}

/**
 * Returns the graphemes of a text. The last one of a cut text may be incomplete, so it is omitted unless it is the only one.
 */
function charactersOf(text: string, isCut: boolean): readonly string[] {
  const characters = isAscii(text) ? Array.from(text) : Array.from(byCharacter.segment(text), ({ segment }) => segment);
  if (!isCut) return characters;
  if (characters.length > 1) return characters.slice(0, -1);
  const points = Array.from(text);
  return [points.slice(0, points.length > 1 ? -1 : 1).join("")];
}

function isAscii(text: string): boolean {
  return /^[\t\n -~]*$/u.test(text);
}
