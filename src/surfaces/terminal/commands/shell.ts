// `/shell COMMAND`, or `!COMMAND`: runs a command in the user's shell, if the setting `shellCommands` allows it.
// Invariant: the model does not see the output until `/output` sends it.
import { fileLabel } from "../../../base/message/file-part.ts";
import { type Command, refusalOutcome } from "./command.ts";

export const shellCommand: Command = {
  name: "shell",
  usage: "/shell COMMAND",
  summary: "run a shell command; also !COMMAND",
  manual:
    "runs a command in your shell and shows its output, if `shellCommands` is `on`; also `!COMMAND`. The model does not see the output until `/output` sends it",
  isAlwaysReady: false,
  async run({ argument, runShell, runtime, signal }) {
    if (runShell === undefined) {
      return refusalOutcome(
        "Shell commands are off in this chat, and nothing was run.",
        'To turn them on: "shellCommands": "on" in the configuration file, or PALIMPSEST_SHELL_COMMANDS=on. A space before ! makes a line a message.',
      );
    }
    if (argument === "") return refusalOutcome("Missing command: what is to be run?", "!git status");
    const { text, problem, isInterrupted } = await runShell(argument, signal);
    const ending = problem === null ? "" : `\n[${problem}]`;
    const data = new TextEncoder().encode(`$ ${argument}\n${text.trimEnd()}${ending}\n`);
    const input = { data, name: "output.txt", mediaType: "text/plain" };
    const label = fileLabel(await runtime.files.describe(input));
    return {
      items: [
        { kind: "shell-output", text, problem },
        { kind: "notice", level: "note", text: "Only you see this. /output QUESTION sends it to the model." },
      ],
      effect: { type: "output", output: { input, label }, isInterrupted },
    };
  },
};
