// A yes-or-no question with scrollable content.
// Invariant: only `y` is a yes; Enter does nothing, so that a repeated key press changes nothing.
import { type Row, span } from "../rows/row.ts";
import { truncateRow } from "../rows/wrap.ts";
import type { Dialog } from "./dialog.ts";
import { pager } from "./pager.ts";

export interface Question {
  readonly text: string;
  /** Returns the content as rows of at most this width. */
  rows(width: number): readonly Row[];
}

/** Returns a dialog whose result is true for yes and false for no. */
export function questionDialog({ text, rows }: Question): Dialog<boolean> {
  return pager({
    hints: ["y yes", "n no", "Up, Down look through it"],
    rows,
    foot: (width) => [truncateRow([span(text, "warning"), span(" (y/n)", "faint")], width)],
    answer(key) {
      if (key === "escape" || key.toLowerCase() === "n") return { type: "close", result: false };
      return key.toLowerCase() === "y" ? { type: "close", result: true } : null;
    },
  });
}
