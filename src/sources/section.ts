// The output of a reader: parts of a file that belong together, each with its location.
// Invariant: no passage spans two sections, so a passage has one page and one heading.
import type { SourceLocation } from "../memory/passage-store.ts";

/** The structure of a text: prose has paragraphs and sentences, code has blocks and lines. */
export type SectionStyle = "prose" | "code";

export interface Section {
  readonly text: string;
  readonly style: SectionStyle;
  /** `lineFrom` is the line of the file, from 1, on which the text starts; without it, no lines are cited. */
  readonly place: Omit<SourceLocation, "file" | "lineTo">;
}
