// `//`: turns multi-line input on and off, like MemGPT's command. When on, Enter begins a new line, and Alt+Enter sends.
import { type Command, refusalOutcome } from "./command.ts";

export const multilineCommand: Command = {
  name: "/",
  usage: "//",
  summary: "switch multi-line input: Enter adds a line, Alt+Enter sends",
  manual: "turns multi-line input on or off: Enter begins a new line, Alt+Enter or Ctrl+J sends",
  isAlwaysReady: false,
  async run({ argument }) {
    if (argument !== "") return refusalOutcome("// takes no argument.", "A message of several lines needs no command.");
    return { items: [], effect: { type: "multiline" } };
  },
};
