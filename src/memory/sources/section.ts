// The output of a reader: parts of a file that belong together, each with its location.
// Invariant: no passage spans two sections, so a passage has one page and one heading.
import { SourceFileError } from "../../base/errors.ts";
import type { SourceLocation } from "../../store/port/passage-store.ts";

/** The structure of a text: prose has paragraphs and sentences, code has blocks and lines. */
export type SectionStyle = "prose" | "code";

export interface Section {
  readonly text: string;
  readonly style: SectionStyle;
  /** `lineFrom` is the line of the file, from 1, on which the text starts; without it, no lines are cited. */
  readonly place: Omit<SourceLocation, "file" | "lineTo">;
}

/** Maximum UTF-16 units of a file's text: about 15 novels. Its passages are created and stored together. */
export const maxCharacters = 10_000_000;

/** The error for a file with more text. */
export function tooMuchText(): SourceFileError {
  return new SourceFileError("it has more than 10,000,000 characters of text. Split it");
}
