// Dispatches key presses to the chat.
// Invariant: the keys are those of the table; a paste is inserted and never interpreted as keys.
import type { Key } from "ink";
import { stripControl } from "../../base/terminal-text.ts";
import type { DialogKey } from "../dialogs/dialog.ts";
import { createKeyCommands, type KeyTarget } from "./key-commands.ts";
import { chordOf, commandFor, type KeyCommand } from "./keybindings.ts";
import { type Editor, insertPaste, insertText } from "../input/line-editor.ts";

// Ink passes the marks of a bracketed paste as text, without their escape character.
const pasteStart = "[200~";
const pasteEnd = "[201~";

// These commands apply to the terminal, so they also work in a dialog.
const ofTheTerminal: ReadonlySet<KeyCommand | undefined> = new Set(["redraw", "suspend"] as const);

/** Returns a handler for Ink's `useInput`. */
export function createKeyHandler(target: KeyTarget): (input: string, key: Key) => void {
  const { store } = target;
  const perform = createKeyCommands(target);
  const paste = createPaste((text) => {
    if (store.getState().dialog === null) insert(text, insertPaste);
    else target.pressInDialog({ chord: "", text: stripControl(text) });
  });

  const insert = (text: string, into: (editor: Editor, text: string) => Editor): void => {
    const clean = stripControl(text);
    if (clean !== "") store.dispatch({ type: "edit", editor: into(store.getState().editor, clean) });
  };

  const pressInDialog = (chord: string, input: string): void => {
    if (chord !== "") target.pressInDialog({ chord, text: "" });
    else for (const pressed of keysOf(input)) target.pressInDialog(pressed);
  };

  return (input, key) => {
    const { hasLeft, dialog } = store.getState();
    if (hasLeft || paste.take(input, key)) return;
    const chord = chordOf(input, key);
    const command = commandFor(chord);
    if (command !== undefined && (dialog === null || ofTheTerminal.has(command))) perform(command);
    else if (dialog !== null) pressInDialog(chord, input);
    else if (chord === "") typeChunk(input, { insert, perform });
  };
}

/** Collects the text between the marks of a paste and inserts it as one text. Ctrl+C ends a paste without an end mark. */
function createPaste(insert: (text: string) => void): { take(input: string, key: Key): boolean } {
  let pieces: string[] | null = null;
  return {
    take(input, key) {
      if (input === pasteStart) pieces ??= [];
      else if (pieces === null) return false;
      else if (input === pasteEnd || (key.ctrl && input === "c")) {
        insert(pieces.join(""));
        pieces = null;
      } else pieces.push(key.return ? "\n" : key.tab ? "\t" : input);
      return true;
    },
  };
}

/**
 * Handles a chunk of several characters. With a line break inside, it is a paste from a terminal that does not mark pastes;
 * otherwise, each key in it is performed.
 */
function typeChunk(
  chunk: string,
  {
    insert,
    perform,
  }: {
    insert(text: string, into: (editor: Editor, text: string) => Editor): void;
    perform(command: KeyCommand): void;
  },
): void {
  if (chunk.length === 1 || /[\r\n][^\r\n]/.test(chunk)) {
    insert(chunk, insertPaste);
    return;
  }
  for (const { chord, text } of keysOf(chunk)) {
    const command = commandFor(chord);
    if (command === undefined) insert(text, insertText);
    else perform(command);
  }
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
