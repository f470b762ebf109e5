// Implements vim's keys for the prompt: a part of the normal mode, with counts, operators and one register.
// Invariant: pure; a key that is not known changes nothing. The edits of the line editor are an argument, because this file is
// loaded only if a user has chosen vim's keys.
import type { Key } from "../keys/key-codes.ts";
import type { Editor, editorCommands } from "./line-editor.ts";

export interface Vim {
  readonly mode: "insert" | "normal";
  /** The keys of an incomplete command. */
  readonly pending: string;
  /** The last deleted or copied text; whole lines end with a line break. */
  readonly register: string;
  /** The texts before the last changes, newest last. */
  readonly undone: readonly Editor[];
}

export const newVim: Vim = { mode: "insert", pending: "", register: "", undone: [] };

interface VimState {
  readonly vim: Vim;
  readonly editor: Editor;
}

type Edits = typeof editorCommands;
type Range = readonly [from: number, to: number];
type Motion = (editor: Editor, edits: Edits) => number;

const maxUndone = 100;
const maxCount = 999;
/** Matches the keys of a command: a count, an operator with its own count, and a motion or a command. */
const grammar = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(.*)$/su;
/** Commands that are short for an operator with a motion. */
const shorts: Readonly<Record<string, string>> = { x: "dl", X: "dh", s: "cl", S: "cc", D: "d$", C: "c$", Y: "yy" };
const word = "(?:[\\p{L}\\p{N}\\p{M}_]+|[^\\p{L}\\p{N}\\p{M}_\\s]+)";
const wholeWord = new RegExp(`^${word}`, "u");
const nextWord = new RegExp(`^${word}?\\s*`, "u");
const wordEnd = new RegExp(`^.?\\s*${word}`, "su");
const wordBefore = new RegExp(`${word}\\s*$`, "u");

const left: Motion = (editor, edits) => Math.max(edits["line-start"](editor).cursor, edits.left(editor).cursor);
const right: Motion = (editor, edits) => Math.min(edits["line-end"](editor).cursor, edits.right(editor).cursor);
const textStart: Motion = (editor, edits) => {
  const from = edits["line-start"](editor).cursor;
  return from + lengthOf(/^[ \t]*/u, editor.text.slice(from));
};

/** For each motion, the function that returns the offset to which it moves. */
const motions: Readonly<Record<string, Motion>> = {
  h: left,
  l: right,
  "0": (editor, edits) => edits["line-start"](editor).cursor,
  "^": textStart,
  $: (editor, edits) => edits["line-end"](editor).cursor,
  w: ({ text, cursor }) => cursor + lengthOf(nextWord, text.slice(cursor)),
  e: ({ text, cursor }, edits) => {
    const end = cursor + lengthOf(wordEnd, text.slice(cursor));
    return edits.left({ text, cursor: end, pastes: {} }).cursor;
  },
  b: ({ text, cursor }) => wordBefore.exec(text.slice(0, cursor))?.index ?? 0,
  gg: () => 0,
  G: ({ text }) => text.length,
};

/** Commands that switch to insert mode. Each returns the editor in which the user then types. */
const insertions: Readonly<Record<string, (editor: Editor, edits: Edits) => Editor>> = {
  i: (editor) => editor,
  a: (editor, edits) => ({ ...editor, cursor: right(editor, edits) }),
  I: (editor, edits) => ({ ...editor, cursor: textStart(editor, edits) }),
  A: (editor, edits) => edits["line-end"](editor),
  o: (editor, edits) => edits.newline(edits["line-end"](editor)),
  O: (editor, edits) => edits.left(edits.newline(edits["line-start"](editor))),
};

/**
 * Returns the state after a key, or the name of another key with the same effect; null for a key that keeps its usual
 * meaning, such as Esc in an empty prompt, which interrupts.
 */
export function pressVim({ vim, editor }: VimState, { chord, text }: Key, edits: Edits): VimState | string | null {
  if (chord === "escape") return escaped({ vim, editor }, edits);
  if (chord !== "" || vim.mode === "insert") return null;
  if (vim.pending === "" && (text === "j" || text === "k")) return text === "j" ? "down" : "up";
  let state: VimState = { vim, editor };
  for (const key of text) state = state.vim.mode === "normal" ? typed(state, key, edits) : inserted(state, key);
  return state;
}

function escaped({ vim, editor }: VimState, edits: Edits): VimState | null {
  if (vim.mode === "insert" && editor.text !== "")
    return { vim: { ...vim, mode: "normal" }, editor: { ...editor, cursor: left(editor, edits) } };
  return vim.pending === "" ? null : { vim: { ...vim, pending: "" }, editor };
}

function inserted({ vim, editor }: VimState, text: string): VimState {
  const { cursor } = editor;
  return { vim, editor: { ...changed(editor, [cursor, cursor], text), cursor: cursor + text.length } };
}

function typed({ vim, editor }: VimState, key: string, edits: Edits): VimState {
  const keys = vim.pending + key;
  const [, first = "1", operator, second = "1", typedRest = ""] = grammar.exec(keys) ?? [];
  const short = operator === undefined ? shorts[typedRest] : undefined;
  const [verb, rest] = short === undefined ? [operator, typedRest] : [short[0], short.slice(1)];
  const isBegun = rest === "" || rest === "g" || (verb === undefined ? ["r"] : ["i", "a"]).includes(rest);
  if (isBegun) return { vim: { ...vim, pending: keys }, editor };
  const count = Math.min(maxCount, Number(first) * Number(second));
  const state = { vim: { ...vim, pending: "" }, editor };
  const after =
    verb === undefined ? commanded(state, rest, { count, edits }) : operated(state, verb, { rest, count, edits });
  return onCharacter(after, edits);
}

interface Counted {
  readonly count: number;
  readonly edits: Edits;
}

function commanded(state: VimState, rest: string, { count, edits }: Counted): VimState {
  const { vim, editor } = state;
  const motion = motions[rest];
  if (motion !== undefined) return { vim, editor: { ...editor, cursor: repeated(editor, motion, { count, edits }) } };
  const insertion = insertions[rest];
  if (insertion !== undefined)
    return { vim: { ...remembering(state), mode: "insert" }, editor: insertion(editor, edits) };
  if (rest === "p" || rest === "P") return put(state, rest === "p", edits);
  if (rest === "u") {
    const before = vim.undone.at(-1);
    return before === undefined ? state : { vim: { ...vim, undone: vim.undone.slice(0, -1) }, editor: before };
  }
  const [, replacement] = /^r(.+)$/su.exec(rest) ?? [];
  if (replacement === undefined) return state;
  return { vim: remembering(state), editor: changed(editor, [editor.cursor, right(editor, edits)], replacement) };
}

function operated(
  state: VimState,
  verb: string,
  { rest, count, edits }: Counted & { readonly rest: string },
): VimState {
  const { editor } = state;
  const isLines = rest === verb;
  const range = isLines ? linesAt(editor, { count, edits }) : rangeOf(editor, verb, { rest, count, edits });
  if (range === null) return state;
  const text = editor.text.slice(range[0], range[1]);
  const vim = { ...state.vim, register: isLines ? `${text.replace(/\n$/u, "")}\n` : text };
  if (verb === "y") return { vim, editor: { ...editor, cursor: isLines ? editor.cursor : range[0] } };
  const after = changed(editor, isLines ? withoutBreak(editor, verb, range) : range, "");
  return { vim: { ...remembering({ vim, editor }), mode: verb === "c" ? "insert" : "normal" }, editor: after };
}

/** Returns the lines to remove, as a range: `c` leaves an empty line; `d` of the last line also removes the break before it. */
function withoutBreak({ text }: Editor, verb: string, [from, to]: Range): Range {
  if (verb === "c") return text[to - 1] === "\n" && to > from ? [from, to - 1] : [from, to];
  return to === text.length && text[to - 1] !== "\n" ? [Math.max(0, from - 1), to] : [from, to];
}

/** Returns the range of a motion; null for an unknown motion. A change of a word ends at the word's end, as in vim. */
function rangeOf(
  editor: Editor,
  verb: string,
  { rest, count, edits }: Counted & { readonly rest: string },
): Range | null {
  const { text, cursor } = editor;
  if (rest === "iw") {
    const from = wordStart(text, cursor);
    return [from, from + lengthOf(wholeWord, text.slice(from))];
  }
  const name = verb === "c" && rest === "w" && /\S/u.test(text[cursor] ?? "") ? "e" : rest;
  const motion = motions[name];
  if (motion === undefined) return null;
  const end = repeated(editor, motion, { count, edits });
  const to = name === "e" ? edits.right({ ...editor, cursor: end }).cursor : end;
  return to < cursor ? [to, cursor] : [cursor, to];
}

function wordStart(text: string, cursor: number): number {
  return cursor - lengthOf(/[\p{L}\p{N}\p{M}_]*$/u, text.slice(0, cursor));
}

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}

function linesAt(editor: Editor, { count, edits }: Counted): Range {
  const from = edits["line-start"](editor).cursor;
  const lines = editor.text.slice(from).split("\n").slice(0, count).join("\n");
  const to = from + lines.length;
  return [from, Math.min(editor.text.length, to + 1)];
}

function repeated(editor: Editor, motion: Motion, { count, edits }: Counted): number {
  let { cursor } = editor;
  for (let times = 0; times < count; times += 1) {
    const next = motion({ ...editor, cursor }, edits);
    if (next === cursor) break;
    cursor = next;
  }
  return cursor;
}

/** Inserts the register after or before the cursor, or, if it holds whole lines, below or above the cursor's line. */
function put(state: VimState, isAfter: boolean, edits: Edits): VimState {
  const { vim, editor } = state;
  const { register } = vim;
  if (register === "") return state;
  const isLines = register.endsWith("\n");
  const start = edits["line-start"](editor).cursor;
  const end = edits["line-end"](editor).cursor;
  const at = isLines ? (isAfter ? end : start) : isAfter ? right(editor, edits) : editor.cursor;
  const text = isLines && isAfter ? `\n${register.slice(0, -1)}` : register;
  const after = changed(editor, [at, at], text);
  const cursor = isLines ? at + (isAfter ? 1 : 0) : edits.left({ ...after, cursor: at + text.length }).cursor;
  return { vim: remembering(state), editor: { ...after, cursor } };
}

function remembering({ vim, editor }: VimState): Vim {
  return { ...vim, undone: [...vim.undone, editor].slice(-maxUndone) };
}

function changed(editor: Editor, [from, to]: Range, text: string): Editor {
  return { ...editor, text: editor.text.slice(0, from) + text + editor.text.slice(to), cursor: from };
}

/** Returns the state with the cursor on a character: in normal mode, it is never after the last character of a line. */
function onCharacter({ vim, editor }: VimState, edits: Edits): VimState {
  const isBehind = vim.mode === "normal" && edits["line-end"](editor).cursor === editor.cursor;
  return { vim, editor: isBehind ? { ...editor, cursor: left(editor, edits) } : editor };
}
