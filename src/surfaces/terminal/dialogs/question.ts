// A yes-or-no question with scrollable content.
// Invariant: only `y` is a yes; Enter does nothing, so that a repeated key press changes nothing.
import { type Row, span } from "../rows/row.ts";
import { truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogSpace, DialogStep } from "./dialog.ts";

export interface Question {
  readonly text: string;
  /** Returns the content as rows of at most this width. */
  rows(width: number): readonly Row[];
}

/** Returns a dialog whose result is true for yes and false for no. */
export function questionDialog(question: Question, top = 0): Dialog<boolean> {
  let maxTop = top;
  const moved = (by: number): DialogStep<boolean> => {
    const next = Math.max(0, Math.min(maxTop, top + by));
    return { type: "show", dialog: questionDialog(question, next) };
  };
  return {
    hints: ["y yes", "n no", "Up, Down look through it"],
    draw(space) {
      const rows = question.rows(space.width);
      const room = Math.max(0, space.max - 1);
      maxTop = Math.max(0, rows.length - room);
      return { rows: [...rows.slice(top, top + room), questionRow(question.text, space)] };
    },
    press({ chord, text }) {
      if (chord === "escape" || /^n$/iu.test(text)) return { type: "close", result: false };
      if (/^y$/iu.test(text)) return { type: "close", result: true };
      return moved({ up: -1, down: 1, pageup: -8, pagedown: 8 }[chord] ?? 0);
    },
  };
}

function questionRow(text: string, { width }: DialogSpace): Row {
  return truncateRow([span(text, "warning"), span(" (y/n)", "faint")], width);
}
