// Opens dialogs without a screen: keys go straight in, work is waited for, and what stood there can be read.
// Invariant: a dialog that still is open when the keys have run out is closed without a choice.
import type { Dialog, DialogStep } from "../../src/surfaces/terminal/dialogs/dialog.ts";
import { type Key, pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";

export interface DialogDriver {
  open<Result>(dialog: Dialog<Result>, until?: AbortSignal): Promise<Result | null>;
  /** What was drawn before each key and after the last. */
  readonly screens: readonly string[];
  /** Whether it ended by itself. */
  hasClosed(): boolean;
}

const named = /^(?:(?:ctrl|alt|shift)\+.+|enter|escape|tab|up|down|left|right|home|end|pageup|pagedown|backspace)$/;

/** A key by its name, such as `up` or `ctrl+n`; anything else is typed. */
export const keyOf = (name: string): Key => (named.test(name) ? pressed(name) : typed(name));

/** Presses these keys in whatever is opened. */
export function driveDialog(
  keys: readonly string[],
  { width = 79, max = 20, now = new Date("2026-11-21T12:00:00Z") } = {},
): DialogDriver {
  const screens: string[] = [];
  let closed = false;
  return {
    screens,
    hasClosed: () => closed,
    async open<Result>(opened: Dialog<Result>) {
      let dialog = opened;
      const draw = (): void => {
        const { rows } = dialog.draw({ width, max, now });
        if (rows.length > max) throw new Error(`Drew ${rows.length} rows into ${max}.`);
        screens.push(rows.map(rowText).join("\n"));
      };
      const settle = async (first: DialogStep<Result>): Promise<DialogStep<Result>> => {
        let step = first;
        while (step.type === "work") step = await step.run(new AbortController().signal);
        return step;
      };
      for (const key of keys) {
        if (dialog.load !== undefined) dialog = await dialog.load();
        draw();
        const step = await settle(dialog.press(keyOf(key)));
        if (step.type === "close") {
          closed = true;
          return step.result;
        }
        if (step.type === "show") ({ dialog } = step);
      }
      draw();
      return null;
    },
  };
}

/** For commands that open none. */
export const noDialog = (): Promise<never> => Promise.reject(new Error("No dialog was expected."));
