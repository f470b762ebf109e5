// What takes the place of the prompt for a while: a panel to look through, a list to choose from. It takes every key.
// Invariant: a dialog is a value. A key makes another of it, ends it, or asks for work; it changes nothing by itself.
import type { CursorPosition } from "../rows/prompt-rows.ts";
import type { Row } from "../rows/row.ts";

/** A key as the table of keys names it (`up`, `ctrl+n`), or the text that was typed or pasted, with an empty chord. */
export interface DialogKey {
  readonly chord: string;
  readonly text: string;
}

export interface DialogSpace {
  readonly width: number;
  /** Rows that may be taken: 1 or more. */
  readonly max: number;
  readonly now: Date;
}

export interface DialogRows {
  /** At most as many as the space has. */
  readonly rows: readonly Row[];
  /** From the first row and column of the dialog; absent where nothing is typed. */
  readonly cursor?: CursorPosition;
}

/** What a key leads to. */
export type DialogStep<Result> =
  | { readonly type: "show"; readonly dialog: Dialog<Result> }
  | { readonly type: "close"; readonly result: Result | null }
  /** Something that takes its time. Until it ends, Esc interrupts it; what it throws is told, and the dialog stays. */
  | { readonly type: "work"; readonly activity: string; run(signal: AbortSignal): Promise<DialogStep<Result>> };

export interface Dialog<Result> {
  /** What the keys do, the most needed first. */
  readonly hints: readonly string[];
  draw(space: DialogSpace): DialogRows;
  press(key: DialogKey): DialogStep<Result>;
  /** What it becomes when no key comes first: the same with something that had to be read. */
  readonly load?: () => Promise<Dialog<Result>>;
}
