// Defines rows of spans, each with a tone: the format of everything on the screen.
// Invariant: a row contains no line break and no control character; its width is the sum of the widths of its texts.
import { widthOf } from "../screen/text-width.ts";

/** The meaning of a text; a theme defines its look. */
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

/** The tones of the lines of a diff, by their first character. */
export const lineTones: Readonly<Record<string, Tone>> = { "+": "added", "-": "removed" };

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** The address that the text links to; only printable ASCII. */
  readonly link?: string;
}

export type Row = readonly Span[];

/** Creates a span. */
export function span(text: string, tone: Tone = "plain", link?: string): Span {
  return link === undefined ? { text, tone } : { text, tone, link };
}

/** Returns the width of a row in columns. */
export function rowWidth(row: Row): number {
  return row.reduce((width, part) => width + widthOf(part.text), 0);
}

/** Returns the text of a row without tones. */
export function rowText(row: Row): string {
  return row.map((part) => part.text).join("");
}
