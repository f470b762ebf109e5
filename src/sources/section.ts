// What a reader makes of a file: stretches of text that belong together, each with where it stands.
// Invariant: no passage spans two sections, so a passage has one page and one heading.
import type { SourceLocation } from "../memory/passage-store.ts";

/** How a text is built: prose has paragraphs and sentences, code has blocks and lines. */
export type SectionStyle = "prose" | "code";

export interface Section {
  readonly text: string;
  readonly style: SectionStyle;
  /** `lineFrom` is the line of the file, from 1, on which the text begins; without it, lines are not told. */
  readonly place: Omit<SourceLocation, "file" | "lineTo">;
}
