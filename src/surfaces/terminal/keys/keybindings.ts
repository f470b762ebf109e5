// The table of keys and their commands, for the chat, its help and the tests.
// Invariant: each chord occurs once; keys that are not in the table insert their text.
import type { EditorCommand } from "../input/line-editor.ts";
import type { Key } from "./key.ts";

/** Commands of keys, except for edits of the line. */
export type ChatCommand =
  | "submit"
  | "complete"
  | "history-back"
  | "history-forth"
  | "interrupt"
  | "clear-or-leave"
  | "leave-if-empty"
  | "send-now"
  | "search-history"
  | "tool-output"
  | "thoughts"
  | "approval-mode"
  | "redraw"
  | "suspend"
  | "edit-outside"
  | "paste-image";

export type KeyCommand = EditorCommand | ChatCommand;

export interface Keybinding {
  readonly chord: string;
  readonly command: KeyCommand;
}

export const keybindings: readonly Keybinding[] = [
  { chord: "enter", command: "submit" },
  { chord: "shift+enter", command: "newline" },
  { chord: "alt+enter", command: "newline" },
  { chord: "ctrl+j", command: "newline" },
  { chord: "tab", command: "complete" },
  { chord: "shift+tab", command: "approval-mode" },
  { chord: "escape", command: "interrupt" },
  { chord: "ctrl+c", command: "clear-or-leave" },
  { chord: "ctrl+d", command: "leave-if-empty" },
  { chord: "ctrl+s", command: "send-now" },
  { chord: "ctrl+r", command: "search-history" },
  { chord: "ctrl+o", command: "tool-output" },
  { chord: "ctrl+t", command: "thoughts" },
  { chord: "ctrl+l", command: "redraw" },
  { chord: "ctrl+z", command: "suspend" },
  { chord: "ctrl+g", command: "edit-outside" },
  { chord: "ctrl+v", command: "paste-image" },
  { chord: "up", command: "history-back" },
  { chord: "down", command: "history-forth" },
  { chord: "ctrl+p", command: "history-back" },
  { chord: "ctrl+n", command: "history-forth" },
  { chord: "left", command: "left" },
  { chord: "right", command: "right" },
  { chord: "ctrl+b", command: "left" },
  { chord: "ctrl+f", command: "right" },
  { chord: "alt+b", command: "word-left" },
  { chord: "alt+f", command: "word-right" },
  { chord: "ctrl+left", command: "word-left" },
  { chord: "ctrl+right", command: "word-right" },
  { chord: "alt+left", command: "word-left" },
  { chord: "alt+right", command: "word-right" },
  { chord: "home", command: "line-start" },
  { chord: "end", command: "line-end" },
  { chord: "ctrl+a", command: "line-start" },
  { chord: "ctrl+e", command: "line-end" },
  { chord: "backspace", command: "delete-left" },
  { chord: "delete", command: "delete-right" },
  { chord: "alt+backspace", command: "delete-word-left" },
  { chord: "ctrl+w", command: "delete-word-left" },
  { chord: "alt+d", command: "delete-word-right" },
  { chord: "ctrl+u", command: "delete-to-line-start" },
  { chord: "ctrl+k", command: "delete-to-line-end" },
];

/** The lines of `/help` about keys. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while the agent works, send after this turn"],
  ["Alt+Enter, Ctrl+J, \\ Enter", "new line (Shift+Enter if the terminal reports it)"],
  ["Ctrl+S", "interrupt and send now, with the queued inputs"],
  ["Esc", "interrupt; the text so far is kept"],
  ["Esc Esc", "on an empty prompt: rewind, memory as well"],
  ["Up, Down", "earlier inputs; choose a suggestion"],
  ["Ctrl+R", "search earlier inputs"],
  ["Tab", "complete a command, or a file after @"],
  ["Shift+Tab", "approve memory edits, all calls, or ask again"],
  ["Ctrl+T", "show or hide the model's thoughts"],
  ["Ctrl+O", "show tool calls, results and thoughts in full"],
  ["Ctrl+V", "attach the image in the clipboard"],
  ["Ctrl+G", "write in $VISUAL or $EDITOR"],
  ["Ctrl+L, Ctrl+Z", "redraw; suspend to the shell (`fg` resumes)"],
  ["Ctrl+C", "interrupt, clear, or (twice) leave, as Ctrl+D"],
];

const commandsByChord = new Map(keybindings.map((binding) => [binding.chord, binding.command]));

/** Returns the command of a chord; undefined if it has none. */
export function commandFor(chord: string): KeyCommand | undefined {
  return commandsByChord.get(chord);
}

const namedKeys = [
  ["return", "enter"],
  ["tab", "tab"],
  ["escape", "escape"],
  ["backspace", "backspace"],
  ["delete", "delete"],
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["home", "home"],
  ["end", "end"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** Returns the name of a key in the table: `ctrl+a`, `alt+enter`, `up`. Empty for plain text. */
export function chordOf(input: string, key: Key): string {
  if (input === "\n") return "ctrl+j";
  const named = namedKeys.find(([property]) => key[property] === true)?.[1];
  const name = named ?? (key.ctrl === true || key.meta === true ? input.toLowerCase() : "");
  if (name === "" || name === "escape") return name;
  // For a letter, Shift is visible in the letter itself.
  return modifiersOf(key, named === undefined ? ["ctrl", "meta"] : ["ctrl", "meta", "shift"]) + name;
}

const modifierNames = { ctrl: "ctrl+", meta: "alt+", shift: "shift+" } as const;

function modifiersOf(key: Key, modifiers: readonly (keyof typeof modifierNames)[]): string {
  return modifiers.map((modifier) => (key[modifier] === true ? modifierNames[modifier] : "")).join("");
}
