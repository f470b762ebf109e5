// What a screen is made of: rows of spans, each with a tone. Components turn rows into Ink, and do nothing else.
// Invariant: a row holds no line break and no control character, and is as wide as its texts.
import { widthOf } from "./text-width.ts";

/** What a text means; the theme says how that looks. */
export type Tone =
  | "plain"
  | "faint"
  | "strong"
  | "match"
  | "heading"
  | "emphasis"
  | "deleted"
  | "link"
  | "code"
  | "keyword"
  | "string"
  | "literal"
  | "comment"
  | "accent"
  | "added"
  | "removed"
  | "warning"
  | "failure";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Row = readonly Span[];

/** A span of one tone. */
export function span(text: string, tone: Tone = "plain"): Span {
  return { text, tone };
}

/** Columns that a row takes. */
export function rowWidth(row: Row): number {
  return row.reduce((width, part) => width + widthOf(part.text), 0);
}

/** The texts of a row without their tones. */
export function rowText(row: Row): string {
  return row.map((part) => part.text).join("");
}
