// Dispatches key presses to the chat.
// Invariant: the keys are those of the table; a paste is inserted and never interpreted as keys.
import { stripControl } from "../../../base/terminal-text.ts";
import type { DialogKey } from "../dialogs/dialog.ts";
import { createKeyCommands, type KeyTarget } from "./key-commands.ts";
import type { Key } from "./key.ts";
import { chordOf, commandFor, type KeyCommand } from "./keybindings.ts";
import { type Editor, insertPaste, insertText } from "../input/line-editor.ts";

// These commands apply to the terminal, so they also work in a dialog.
const ofTheTerminal: ReadonlySet<KeyCommand | undefined> = new Set(["redraw", "suspend"] as const);

export interface KeyHandler {
  /** Handles a key, or text of several characters that arrived together. */
  handleKey(input: string, key: Key): void;
  handlePaste(text: string): void;
}

export function createKeyHandler(target: KeyTarget): KeyHandler {
  const { store } = target;
  const perform = createKeyCommands(target);
  const insert = (text: string, into: (editor: Editor, text: string) => Editor): void => {
    const clean = stripControl(text);
    if (clean !== "") store.dispatch({ type: "edit", editor: into(store.getState().editor, clean) });
  };

  // A key can open or close a dialog, which receives the keys after it, also of the same chunk.
  const press = ({ chord, text }: DialogKey): void => {
    const { hasLeft, dialog } = store.getState();
    if (hasLeft) return;
    const command = commandFor(chord);
    if (command !== undefined && (dialog === null || ofTheTerminal.has(command))) perform(command);
    else if (dialog !== null) target.pressInDialog({ chord, text });
    else if (chord === "") insert(text, insertText);
  };

  return {
    handleKey(input, key) {
      const { hasLeft, dialog } = store.getState();
      const chord = chordOf(input, key);
      if (chord !== "") press({ chord, text: "" });
      else if (dialog === null && !hasLeft && isUnmarkedPaste(input)) insert(input, insertPaste);
      else for (const one of keysOf(input)) press(one);
    },
    handlePaste(text) {
      const { hasLeft, dialog } = store.getState();
      if (hasLeft) return;
      // Some terminals paste nothing when the clipboard has an image.
      if (dialog === null && text === "") target.pasteImage();
      else if (dialog === null) {
        const { cursor } = store.getState().editor;
        insert(text, insertPaste);
        target.pasted(stripControl(text), cursor);
      } else target.pressInDialog({ chord: "", text: stripControl(text) });
    },
  };
}

/** Whether a chunk with a line break inside is a paste from a terminal that does not mark pastes. */
function isUnmarkedPaste(chunk: string): boolean {
  return /[\r\n][^\r\n]/.test(chunk);
}

/** Splits a chunk into keys; text between control characters stays together. */
function keysOf(chunk: string): readonly DialogKey[] {
  // oxlint-disable-next-line no-control-regex -- keys in a chunk of text are control characters
  const parts = chunk.split(/([\u0000-\u001f\u007f])/u).filter((part) => part !== "");
  return parts.map((part) => {
    const chord = part.length === 1 ? controlChord(part) : "";
    return { chord, text: chord === "" ? part : "" };
  });
}

function controlChord(character: string): string {
  const chord = { "\r": "enter", "\t": "tab", "\b": "backspace", "\u007f": "backspace" }[character];
  if (chord !== undefined) return chord;
  const code = character.charCodeAt(0);
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : "";
}
