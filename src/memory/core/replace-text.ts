// Replaces text in a module of core memory, and finds the line that is most similar to a text that does not occur.
// Invariant: pure; a line that becomes blank is removed with its line break; every other character is kept.

export interface Replacement {
  readonly oldContent: string;
  readonly newContent: string;
}

export interface ReplacedText {
  readonly value: string;
  /** Line numbers of the occurrences in the old text, from 1. */
  readonly lines: readonly number[];
}

/** Replaces every occurrence. If there is none, the value is unchanged and `lines` is empty. */
export function replaceText(value: string, { oldContent, newContent }: Replacement): ReplacedText {
  const parts = value.split(oldContent);
  const lines: number[] = [];
  let line = 1;
  for (const part of parts.slice(0, -1)) {
    line += lineBreaksIn(part);
    lines.push(line + lineBreaksIn(/^\n*/.exec(oldContent)?.[0] ?? ""));
    line += lineBreaksIn(oldContent);
  }
  return { value: newContent === "" ? withoutParts(parts) : parts.join(newContent), lines };
}

// Marks the place of a removed text. Stored text never contains this character (storableText).
const gap = "\0";

function withoutParts(parts: readonly string[]): string {
  const isEmptied = (line: string): boolean => line.includes(gap) && line.replaceAll(gap, "").trim() === "";
  const lines = parts.join(gap).split("\n");
  return lines
    .filter((line) => !isEmptied(line))
    .join("\n")
    .replaceAll(gap, "");
}

function lineBreaksIn(text: string): number {
  return text.split("\n").length - 1;
}

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Minimum share of common trigrams of two similar lines. Lines with a lower share have only single words in common. */
const minSimilarity = 0.35;

/** Returns the line that is most similar to the wanted text; null if none is similar. */
export function nearestLine(value: string, wanted: string): NumberedLine | null {
  const wantedLine = wanted.split("\n").reduce((longest, line) => (line.length > longest.length ? line : longest), "");
  const wantedParts = trigramsOf(wantedLine);
  let nearest: NumberedLine | null = null;
  let best = minSimilarity;
  for (const [index, text] of value.split("\n").entries()) {
    const similarity = overlap(wantedParts, trigramsOf(text));
    if (similarity <= best) continue;
    best = similarity;
    nearest = { number: index + 1, text };
  }
  return nearest;
}

function trigramsOf(line: string): ReadonlySet<string> {
  const text = ` ${line.toLowerCase().replace(/\s+/g, " ").trim()} `;
  return new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3)));
}

/** Returns Dice's coefficient: 1 for equal sets, 0 for disjoint ones. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((part) => other.has(part)).length;
  return common === 0 ? 0 : (2 * common) / (one.size + other.size);
}
