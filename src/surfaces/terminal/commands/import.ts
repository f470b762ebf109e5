// `/import FILE`: imports a conversation from JSON Lines, so that recall finds it.
// Invariant: if a line is invalid, nothing is stored; the open conversation stays open.
import { parseMessageLines } from "../../../base/message/message-lines.ts";
import { countLabel } from "../rows/labels.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { unquoted } from "./unquoted.ts";

export const importCommand: Command = {
  name: "import",
  usage: "/import FILE",
  summary: "import a conversation from JSON Lines",
  manual: "imports such a file as a conversation; all or nothing",
  isAlwaysReady: false,
  async run({ runtime, agent, argument, textFiles }) {
    if (textFiles === undefined) return refusalOutcome("This chat has no access to files.");
    if (argument === "") return refusalOutcome("Expected the file that is to be read.", "/import conversation.jsonl");
    const file = unquoted(argument);
    const messages = parseMessageLines(await textFiles.read(file), file);
    const { id } = await runtime.conversations.import(agent.record.id, { messages });
    return noteOutcome(
      `Imported ${countLabel(messages.length, "message")} as conversation ${id}. /search finds its messages.`,
      `/resume ${id} opens it.`,
    );
  },
};
