// Maps keys to commands, for the chat, its help and the tests.
// Invariant: each chord occurs once; a key that is not in the table inserts its text.
import type { EditorCommand } from "../input/line-editor.ts";

/** The keys of each command. Edits of the line have the names of the line editor's commands. */
export const keybindings = {
  submit: ["enter"],
  newline: ["shift+enter", "alt+enter", "ctrl+j"],
  complete: ["tab"],
  "approval-mode": ["shift+tab"],
  interrupt: ["escape"],
  "clear-or-leave": ["ctrl+c"],
  "leave-if-empty": ["ctrl+d"],
  "send-now": ["ctrl+s"],
  "search-history": ["ctrl+r"],
  "tool-output": ["ctrl+o"],
  thoughts: ["ctrl+t"],
  redraw: ["ctrl+l"],
  suspend: ["ctrl+z"],
  "edit-outside": ["ctrl+g"],
  "paste-image": ["ctrl+v"],
  "history-back": ["up", "ctrl+p"],
  "history-forth": ["down", "ctrl+n"],
  left: ["left", "ctrl+b"],
  right: ["right", "ctrl+f"],
  "word-left": ["alt+b", "ctrl+left", "alt+left"],
  "word-right": ["alt+f", "ctrl+right", "alt+right"],
  "line-start": ["home", "ctrl+a"],
  "line-end": ["end", "ctrl+e"],
  "delete-left": ["backspace"],
  "delete-right": ["delete"],
  "delete-word-left": ["alt+backspace", "ctrl+w"],
  "delete-word-right": ["alt+d"],
  "delete-to-line-start": ["ctrl+u"],
  "delete-to-line-end": ["ctrl+k"],
} as const satisfies Readonly<Record<EditorCommand, readonly string[]>> & Readonly<Record<string, readonly string[]>>;

export type KeyCommand = keyof typeof keybindings;
/** Commands of keys, except for edits of the line. */
export type ChatCommand = Exclude<KeyCommand, EditorCommand>;

/** The lines of `/help` about keys. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while the agent works, send after this turn"],
  ["Alt+Enter, Ctrl+J, \\ Enter", "new line (Shift+Enter if the terminal reports it)"],
  ["Ctrl+S", "interrupt and send now, with the queued inputs"],
  ["Esc", "interrupt; the text so far is kept"],
  ["Esc Esc", "clear the text; if empty: rewind, memory as well"],
  ["Up, Down", "queued and earlier inputs; choose a suggestion"],
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

const commandsByChord = new Map<string, KeyCommand>(
  Object.entries(keybindings).flatMap(([command, chords]) => chords.map((chord) => [chord, command as KeyCommand])),
);

/** Returns the command of a chord; undefined if it has none. */
export function commandFor(chord: string): KeyCommand | undefined {
  return commandsByChord.get(chord);
}
