// Shows the page of a sign-in while the browser is there, and takes the address that it was sent to.
// Invariant: the address is whole on the screen, also where it takes several rows.
import { type Editor, editorCommands, emptyEditor, insertText } from "../input/line-editor.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { span } from "../rows/row.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { Dialog, DialogKey, DialogRows, DialogSpace, DialogStep } from "./dialog.ts";

export interface WaitingSignIn {
  readonly server: string;
  readonly address: string;
  readonly isOpened: boolean;
  /** Takes a pasted address. Throws for one that does not sign in. */
  finish(address: string): Promise<void>;
}

/** Ends with true after a pasted address; null when the user closes it. */
export function signInDialog(waiting: WaitingSignIn, typed: Editor = emptyEditor): Dialog<true> {
  return {
    hints: ["Enter takes a pasted address", "Esc cancel"],
    draw: (space) => draw(waiting, typed, space),
    press: (key) => press(waiting, typed, key),
  };
}

const edits: Readonly<Record<string, keyof typeof editorCommands>> = {
  backspace: "delete-left",
  "ctrl+u": "delete-to-line-start",
};

/** UTF-16 units of a pasted address. */
const maxLength = 8000;

function press(waiting: WaitingSignIn, typed: Editor, { chord, text }: DialogKey): DialogStep<true> {
  const show = (editor: Editor): DialogStep<true> => ({ type: "show", dialog: signInDialog(waiting, editor) });
  if (chord === "escape") return { type: "close", result: null };
  if (chord === "enter") {
    const address = typed.text.trim();
    if (address === "") return show(typed);
    return {
      type: "work",
      activity: "signing in",
      run: async () => {
        await waiting.finish(address);
        return { type: "close", result: true };
      },
    };
  }
  const edit = edits[chord];
  if (edit !== undefined) return show(editorCommands[edit](typed));
  // An address that was wrapped by another terminal comes with line ends.
  const pasted = text.replaceAll(/\s+/gu, "").slice(0, maxLength);
  return show(pasted === "" ? typed : insertText(typed, pasted));
}

function draw({ server, address, isOpened }: WaitingSignIn, typed: Editor, { width, max }: DialogSpace): DialogRows {
  const lead = isOpened ? "Sign in with your browser, which is at:" : "Open this in your browser to sign in:";
  const prompt = promptRows(typed, { width, max: 1 });
  const shown = [
    truncateRow([span(`${server}. ${lead}`, "strong")], width),
    ...wrapText(address, "accent", { width }),
    truncateRow([span("If it cannot come back to this machine, paste the address it was sent to.", "faint")], width),
  ].slice(0, Math.max(0, max - 1));
  return { rows: [...shown, ...prompt.rows], cursor: { x: prompt.cursor.x, y: prompt.cursor.y + shown.length } };
}
