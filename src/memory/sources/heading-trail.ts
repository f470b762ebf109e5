// Tracks the headings above a position in a document, as one line.
// Invariant: a heading ends those of its own level and of deeper ones.
import { takeCodePoints } from "../../base/code-points.ts";

export interface HeadingTrail {
  /** Starts a heading. `level` from 1, the outermost. A heading without text only ends others. */
  enter(level: number, text: string): void;
  /** `Guide > Install`; undefined above the first heading. */
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
