// Defines what readers return: sections of a file, each with its text, its location and the headings above it.
// Invariant: no passage spans two sections, so a passage has one page and one heading; a heading ends all earlier
// headings of its own level and of deeper levels.
import { takeCodePoints } from "../../base/code-points.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { SourceLocation } from "../../store/port/passage-store.ts";

/** The structure of a text: prose has paragraphs and sentences, code has blocks and lines. */
export type SectionStyle = "prose" | "code";

export interface Section {
  readonly text: string;
  readonly style: SectionStyle;
  /**
   * `lineFrom`: the line of the file, from 1, on which the text starts; if absent, no lines are cited. `lineTo`: the
   * last line, if the lines of the text are not the lines of the file, as in JSON Lines; absent otherwise.
   */
  readonly place: Omit<SourceLocation, "file">;
}

/** Maximum UTF-16 units of a file's text: about 15 novels. Its passages are created and stored together. */
export const maxCharacters = 10_000_000;

/** Returns the error for a file whose text is longer than `maxCharacters`. */
export function tooMuchText(): SourceFileError {
  return new SourceFileError("it has more than 10,000,000 characters of text. Split it");
}

export interface HeadingTrail {
  /** Starts a heading; level 1 is the outermost. A heading without text only ends earlier headings. */
  enter(level: number, text: string): void;
  /** Returns the current headings, as in `Guide > Install`; undefined above the first heading. */
  line(): string | undefined;
}

/** Maximum code points of one heading. */
const maxCodePoints = 120;

export function createHeadingTrail(): HeadingTrail {
  let open: readonly { readonly level: number; readonly text: string }[] = [];
  return {
    enter(level, text) {
      const outer = open.filter((heading) => heading.level < level);
      const line = text.replaceAll(/\s+/gu, " ").trim();
      open = line === "" ? outer : [...outer, { level, text: cut(line) }];
    },
    line: () => (open.length === 0 ? undefined : open.map(({ text }) => text).join(" > ")),
  };
}

function cut(text: string): string {
  const head = takeCodePoints(text, maxCodePoints);
  return head === text ? text : `${head}…`;
}
