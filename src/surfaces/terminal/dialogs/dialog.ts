// A dialog replaces the prompt temporarily: a panel to read, or a list to choose from. It receives every key.
// Invariant: a dialog is an immutable value. A key returns a new dialog, ends this one, or requests work.
import type { Key } from "../keys/key-codes.ts";
import type { Row } from "../rows/row.ts";
import type { CursorPosition } from "../screen/frame-diff.ts";

export interface DialogSpace {
  readonly width: number;
  /** Maximum number of rows, at least 1. */
  readonly max: number;
  readonly now: Date;
}

export interface DialogRows {
  /** The rows to draw, at most `DialogSpace.max` of them. */
  readonly rows: readonly Row[];
  /** Position relative to the dialog's first row and column; absent if the dialog has no text input. */
  readonly cursor?: CursorPosition;
}

/** The result of a key. */
export type DialogStep<Result> =
  | { readonly type: "show"; readonly dialog: Dialog<Result> }
  | { readonly type: "close"; readonly result: Result | null }
  /** Asynchronous work. Esc interrupts it; an error is shown, and the dialog stays open. */
  | { readonly type: "work"; readonly activity: string; run(signal: AbortSignal): Promise<DialogStep<Result>> };

export interface Dialog<Result> {
  /** Descriptions of the keys, most important first. */
  readonly hints: readonly string[];
  draw(space: DialogSpace): DialogRows;
  press(key: Key): DialogStep<Result>;
  /** Loads data and resolves to a dialog with the data, which replaces this dialog unless a key is pressed before. */
  readonly load?: () => Promise<Dialog<Result>>;
}

/** The number of rows by which each key moves through a list. */
export const lineSteps: Readonly<Record<string, number>> = { up: -1, "ctrl+p": -1, down: 1, "ctrl+n": 1 };
/** The number of tabs by which each key moves. */
export const tabSteps: Readonly<Record<string, number>> = { right: 1, tab: 1, left: -1, "shift+tab": -1 };
