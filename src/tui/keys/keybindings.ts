// Every key and what it does: the one table that the chat, its help and the tests read.
// Invariant: a chord stands here once; keys that are not here type themselves.
import type { Key } from "ink";
import type { EditorCommand } from "../input/line-editor.ts";

/** What a key does beyond editing the line. */
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
  | "redraw"
  | "suspend"
  | "edit-outside";

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
  { chord: "escape", command: "interrupt" },
  { chord: "ctrl+c", command: "clear-or-leave" },
  { chord: "ctrl+d", command: "leave-if-empty" },
  { chord: "ctrl+s", command: "send-now" },
  { chord: "ctrl+r", command: "search-history" },
  { chord: "ctrl+o", command: "tool-output" },
  { chord: "ctrl+l", command: "redraw" },
  { chord: "ctrl+z", command: "suspend" },
  { chord: "ctrl+g", command: "edit-outside" },
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
  { chord: "alt+backspace", command: "delete-word-left" },
  { chord: "ctrl+w", command: "delete-word-left" },
  { chord: "alt+d", command: "delete-word-right" },
  { chord: "ctrl+u", command: "delete-to-line-start" },
  { chord: "ctrl+k", command: "delete-to-line-end" },
];

/** The lines of `/help` on keys. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while the agent works, send after this turn"],
  ["Alt+Enter, Ctrl+J, \\ Enter", "a new line (Shift+Enter where the terminal tells it apart)"],
  ["Ctrl+S", "interrupt the agent and send now, what waits as well"],
  ["Esc", "interrupt; what was said so far stays"],
  ["Esc Esc", "on an empty prompt: go back to before a message, in memory as well"],
  ["Up, Down", "earlier inputs; a choice in the list of what is offered"],
  ["Ctrl+R", "search earlier inputs"],
  ["Tab", "complete a command, or a file after @; that file goes with the message"],
  ["Ctrl+O", "what tools were asked and answered, whole"],
  ["Ctrl+G", "write in $VISUAL or $EDITOR; the agent works on meanwhile"],
  ["Ctrl+L, Ctrl+Z", "draw the screen anew; go to the shell, `fg` comes back"],
  ["Ctrl+C", "interrupt, clear the input, or (twice) leave; Ctrl+D leaves too"],
];

const commandsByChord = new Map(keybindings.map((binding) => [binding.chord, binding.command]));

/** What a chord is bound to; undefined when it is a text to type. */
export function commandFor(chord: string): KeyCommand | undefined {
  return commandsByChord.get(chord);
}

// Ink reports Backspace as `delete`, and the Delete key too; they cannot be told apart.
const namedKeys = [
  ["return", "enter"],
  ["tab", "tab"],
  ["escape", "escape"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["home", "home"],
  ["end", "end"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** A key as Ink reports it, by the name that the table has: `ctrl+a`, `alt+enter`, `up`. Empty for plain text. */
export function chordOf(input: string, key: Key): string {
  if (input === "\n") return "ctrl+j";
  // xterm's modifyOtherKeys: modified Enter, which Ink hands on as text.
  if (/^\[27;\d+;13~$/.test(input)) return "shift+enter";
  const named = namedKeys.find(([property]) => key[property] === true)?.[1];
  const name = named ?? (key.ctrl || key.meta ? input.toLowerCase() : "");
  if (name === "" || name === "escape") return name;
  // Of a letter, Shift is told by the letter itself.
  return modifiersOf(key, named === undefined ? ["ctrl", "meta"] : ["ctrl", "meta", "shift"]) + name;
}

const modifierNames = { ctrl: "ctrl+", meta: "alt+", shift: "shift+" } as const;

function modifiersOf(key: Key, modifiers: readonly (keyof typeof modifierNames)[]): string {
  return modifiers.map((modifier) => (key[modifier] ? modifierNames[modifier] : "")).join("");
}
