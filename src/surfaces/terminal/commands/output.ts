// `/output [QUESTION]`: sends the output of the last shell command with a question, or attaches it to the next message.
// Invariant: it is a file of the message, so its trust is `external`.
import { type Command, refusalOutcome } from "./command.ts";
import { waitingItems } from "./file.ts";

export const outputCommand: Command = {
  name: "output",
  usage: "/output [QUESTION]",
  summary: "send the output of the last !COMMAND to the model",
  manual:
    "sends the output of the last `!COMMAND` with your question, as the file `output.txt`; without a question, attaches it to your next message",
  isAlwaysReady: false,
  async run({ argument, output, files }) {
    if (output === null) return refusalOutcome("No shell command was run in this chat.", "!git status");
    if (argument !== "") return { items: [], effect: { type: "send", text: argument, files: [output] } };
    const queued = [...files, output];
    return { items: waitingItems(queued), effect: { type: "files", files: queued } };
  },
};
