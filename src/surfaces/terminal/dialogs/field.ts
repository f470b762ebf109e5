// Creates a dialog with one line to type in, below rows that say what to type.
// Invariant: the typed line is always drawn; the rows above it are cut if they do not fit.
import { type Editor, emptyEditor, typedInto } from "../input/line-editor.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import type { Row } from "../rows/row.ts";
import type { Dialog, DialogStep } from "./dialog.ts";

export interface Field<Result> {
  readonly hints: readonly string[];
  /** Returns the rows above the input line. */
  rows(width: number): readonly Row[];
  /** Returns the text to insert for a typed or pasted text. */
  cleaned(text: string): string;
  /** Returns what the dialog does after Enter; null if Enter does nothing. */
  accept(line: string): DialogStep<Result> | null;
  /** Returns what the dialog does after Esc. */
  leave(): DialogStep<Result>;
}

export function fieldDialog<Result>(field: Field<Result>, line: Editor = emptyEditor): Dialog<Result> {
  return {
    hints: field.hints,
    draw({ width, max }) {
      const above = field.rows(width).slice(0, Math.max(0, max - 1));
      const { rows, cursor } = promptRows(line, { width, max: 1 });
      return { rows: [...above, ...rows], cursor: { x: cursor.x, y: cursor.y + above.length } };
    },
    press({ chord, text }) {
      if (chord === "escape") return field.leave();
      const step = chord === "enter" ? field.accept(line.text) : null;
      return step ?? { type: "show", dialog: fieldDialog(field, typedInto(line, chord, field.cleaned(text)) ?? line) };
    },
  };
}
