// `/shell COMMAND`, or `!COMMAND`: runs a command in the user's shell, if the setting `shellCommands` allows it.
// Invariant: the model does not see the output until `/output` sends it.
import { fileLabel } from "../../../base/message/file-part.ts";
import { notice } from "../view/notices.ts";
import { command, refusalOutcome } from "./command.ts";
import { waitingItems } from "./file.ts";

export const shellCommand = command({
  usage: "/shell COMMAND",
  summary: "run a shell command; also !COMMAND",
  manual:
    "runs a command in your shell and shows its output, if `shellCommands` is `on`; also `!COMMAND`. The model does not see the output until `/output` sends it",
  async run({ argument, runShell, runtime, signal }) {
    if (runShell === undefined)
      return refusalOutcome(
        "Shell commands are off in this chat, and nothing was run.",
        'To turn them on: "shellCommands": "on" in the configuration file, or PALIMPSEST_SHELL_COMMANDS=on. A space before ! makes a line a message.',
      );
    if (argument === "") return refusalOutcome("Missing command: !COMMAND.", "!git status");
    const { text, problem, isInterrupted } = await runShell(argument, signal);
    const ending = problem === null ? "" : `\n[${problem}]`;
    const data = new TextEncoder().encode(`$ ${argument}\n${text.trimEnd()}${ending}\n`);
    const input = { data, name: "output.txt", mediaType: "text/plain" };
    const label = fileLabel(await runtime.files.describe(input));
    return {
      items: [
        { kind: "shell-output", text, problem },
        notice("note", "Only you see this. /output QUESTION sends it to the model."),
      ],
      effect: { type: "output", output: { input, label }, isInterrupted },
    };
  },
});

// The output is a file of the message, so its trust class is `external`.
export const outputCommand = command({
  usage: "/output [QUESTION]",
  summary: "send the output of the last !COMMAND to the model",
  manual:
    "sends the output of the last `!COMMAND` with your question, as the file `output.txt`; without a question, attaches it to your next message",
  async run({ argument, output, files }) {
    if (output === null) return refusalOutcome("No shell command was run in this chat.", "!git status");
    if (argument !== "") return { items: [], effect: { type: "send", text: argument, files: [output] } };
    const queued = [...files, output];
    return { items: waitingItems(queued), effect: { type: "files", files: queued } };
  },
});
