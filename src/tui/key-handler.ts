// What each key press does to the chat.
// Invariant: the keys are those of the table; a paste is only ever inserted, never taken for keys.
import type { Key } from "ink";
import { stripControl } from "../base/terminal-text.ts";
import type { DialogKey } from "./dialogs/dialog.ts";
import { createKeyCommands, type KeyTarget } from "./key-commands.ts";
import { chordOf, commandFor, type KeyCommand } from "./keybindings.ts";
import { insertText } from "./line-editor.ts";

// Ink hands the marks of a bracketed paste on as text, without their escape.
const pasteStart = "[200~";
const pasteEnd = "[201~";

/** A handler for Ink's `useInput`. */
export function createKeyHandler(target: KeyTarget): (input: string, key: Key) => void {
  const { store } = target;
  const perform = createKeyCommands(target);
  let isPasting = false;

  const insert = (text: string): void => {
    const clean = stripControl(text);
    if (clean !== "") store.dispatch({ type: "edit", editor: insertText(store.getState().editor, clean) });
  };

  const pressInDialog = (chord: string, input: string): void => {
    if (chord !== "") target.pressInDialog({ chord, text: "" });
    else for (const pressed of keysOf(input)) target.pressInDialog(pressed);
  };

  return (input, key) => {
    const { hasLeft, dialog } = store.getState();
    if (hasLeft) return;
    if (input === pasteStart || input === pasteEnd) {
      isPasting = input === pasteStart;
      return;
    }
    if (isPasting) {
      const pasted = key.return ? "\n" : key.tab ? "\t" : input;
      if (dialog === null) insert(pasted);
      else target.pressInDialog({ chord: "", text: stripControl(pasted) });
      return;
    }
    const chord = chordOf(input, key);
    if (dialog !== null) {
      pressInDialog(chord, input);
      return;
    }
    const command = commandFor(chord);
    if (command !== undefined) perform(command);
    else if (chord === "") typeChunk(input, { insert, perform });
  };
}

/**
 * Text that came at once. With a line break inside it is a paste from a terminal that does not mark pastes;
 * otherwise keys that came together, of which each is done.
 */
function typeChunk(
  chunk: string,
  { insert, perform }: { insert(text: string): void; perform(command: KeyCommand): void },
): void {
  if (chunk.length === 1 || /[\r\n][^\r\n]/.test(chunk)) {
    insert(chunk);
    return;
  }
  for (const { chord, text } of keysOf(chunk)) {
    const command = commandFor(chord);
    if (command === undefined) insert(text);
    else perform(command);
  }
}

/** Keys that came together, one by one; text between control characters stays together. */
function keysOf(chunk: string): readonly DialogKey[] {
  // oxlint-disable-next-line no-control-regex -- keys that came with the text are control characters in it
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
