// Holds the typed text with its cursor, and defines a pure function for each edit by a key.
// Invariant: the cursor is between graphemes, so no edit splits a character.
import { type FoldedPastes, freeFold, isLong, unfolded, withoutFolds } from "./folded-paste.ts";
import { graphemesOf } from "../screen/text-width.ts";

export interface Editor {
  readonly text: string;
  /** Offset in UTF-16 units, at a grapheme boundary. */
  readonly cursor: number;
  /** The folded pastes in the text. */
  readonly pastes: FoldedPastes;
}

export const emptyEditor: Editor = { text: "", cursor: 0, pastes: {} };

/** Creates an editor with a text and the cursor at its end. */
export function editorOf(text: string): Editor {
  return insertText(emptyEditor, text);
}

/** Creates an editor with an earlier input; a long input is folded. */
export function recalledEditor(text: string): Editor {
  return insertPaste(emptyEditor, text);
}

/** Returns the text to send, with its pastes expanded. */
export function typedText({ text, pastes }: Editor): string {
  return unfolded(text, pastes);
}

/** Returns the editor with a text inserted at the cursor. */
export function insertText(editor: Editor, inserted: string): Editor {
  return insert(editor, withoutFolds(inserted));
}

/** Returns the editor with a pasted text inserted at the cursor; a long paste is folded. */
export function insertPaste(editor: Editor, pasted: string): Editor {
  const fold = isLong(pasted) ? freeFold(editor.text) : undefined;
  if (fold === undefined) return insertText(editor, pasted);
  return insert({ ...editor, pastes: { ...editor.pastes, [fold]: withoutFolds(pasted) } }, fold);
}

function insert(editor: Editor, inserted: string): Editor {
  const text = editor.text.slice(0, editor.cursor) + inserted + editor.text.slice(editor.cursor);
  return { ...editor, text, cursor: boundaryFrom(text, editor.cursor + inserted.length) };
}

/** All edits that keys can be bound to. */
export const editorCommands = {
  left: (editor: Editor): Editor => ({ ...editor, cursor: previousBoundary(editor) }),
  right: (editor: Editor): Editor => ({ ...editor, cursor: nextBoundary(editor) }),
  "word-left": (editor: Editor): Editor => ({ ...editor, cursor: wordStart(editor) }),
  "word-right": (editor: Editor): Editor => ({ ...editor, cursor: wordEnd(editor) }),
  "line-start": (editor: Editor): Editor => ({ ...editor, cursor: lineStart(editor) }),
  "line-end": (editor: Editor): Editor => ({ ...editor, cursor: lineEnd(editor) }),
  "delete-left": (editor: Editor): Editor => without(editor, previousBoundary(editor), editor.cursor),
  "delete-right": (editor: Editor): Editor => without(editor, editor.cursor, nextBoundary(editor)),
  "delete-word-left": (editor: Editor): Editor => without(editor, wordStart(editor), editor.cursor),
  "delete-word-right": (editor: Editor): Editor => without(editor, editor.cursor, wordEnd(editor)),
  "delete-to-line-start": (editor: Editor): Editor => without(editor, lineStart(editor), editor.cursor),
  "delete-to-line-end": (editor: Editor): Editor => deleteToLineEnd(editor),
  newline: (editor: Editor): Editor => insertText(editor, "\n"),
} as const;

export type EditorCommand = keyof typeof editorCommands;

const commandsOfFields: Readonly<Record<string, EditorCommand>> = {
  backspace: "delete-left",
  "ctrl+w": "delete-word-left",
  "ctrl+u": "delete-to-line-start",
  left: "left",
  right: "right",
  "ctrl+a": "line-start",
  "ctrl+e": "line-end",
};

/** Returns a one-line field after the key `chord`, which types `text`; null for a key that does not edit the field. */
export function typedInto(field: Editor, chord: string, text: string): Editor | null {
  const edit = commandsOfFields[chord];
  if (edit !== undefined) return editorCommands[edit](field);
  return text === "" ? null : insertText(field, text);
}

/** Returns the editor with the cursor one line up or down, in the same column if possible; null if there is no such line. */
export function moveLine(editor: Editor, direction: "up" | "down"): Editor | null {
  const start = lineStart(editor);
  const end = lineEnd(editor);
  if (direction === "up" ? start === 0 : end === editor.text.length) return null;
  const column = graphemesOf(editor.text.slice(start, editor.cursor)).length;
  const targetStart = direction === "up" ? lineStart({ ...editor, cursor: start - 1 }) : end + 1;
  const target = editor.text.slice(targetStart, lineEnd({ ...editor, cursor: targetStart }));
  return { ...editor, cursor: targetStart + graphemesOf(target).slice(0, column).join("").length };
}

/** Whether the text ends with a backslash before the cursor: Enter then inserts a new line instead of sending. */
export function hasTrailingBackslash(editor: Editor): boolean {
  return editor.cursor === editor.text.length && editor.text.endsWith("\\");
}

function without(editor: Editor, from: number, to: number): Editor {
  return { ...editor, text: editor.text.slice(0, from) + editor.text.slice(to), cursor: from };
}

function deleteToLineEnd(editor: Editor): Editor {
  const end = lineEnd(editor);
  return without(editor, editor.cursor, end === editor.cursor ? nextBoundary(editor) : end);
}

function previousBoundary({ text, cursor }: Editor): number {
  const last = graphemesOf(text.slice(0, cursor)).at(-1);
  return cursor - (last?.length ?? 0);
}

function nextBoundary({ text, cursor }: Editor): number {
  return cursor + (graphemesOf(text.slice(cursor))[0]?.length ?? 0);
}

// An inserted text may combine with the text after it (a combining mark, half of a flag): the cursor then moves behind both.
function boundaryFrom(text: string, wanted: number): number {
  let offset = 0;
  for (const grapheme of graphemesOf(text)) {
    if (offset >= wanted) return offset;
    offset += grapheme.length;
  }
  return offset;
}

function lineStart({ text, cursor }: Editor): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

function wordStart({ text, cursor }: Editor): number {
  const before = /[^\s]+\s*$/.exec(text.slice(0, cursor));
  return before === null ? 0 : before.index;
}

function wordEnd({ text, cursor }: Editor): number {
  const after = /^\s*[^\s]+/.exec(text.slice(cursor));
  return after === null ? text.length : cursor + after[0].length;
}
