// `/import FILE`: keeps a conversation from a file of JSON lines as one of the agent's, so that recall finds it.
// Invariant: one bad line, and nothing is kept; the conversation that is open stays open.
import { parseMessageLines } from "../../message/message-lines.ts";
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
    if (textFiles === undefined) return refusalOutcome("This chat can reach no files.");
    if (argument === "") return refusalOutcome("Expected the file that is to be read.", "/import conversation.jsonl");
    const file = unquoted(argument);
    const messages = parseMessageLines(await textFiles.read(file), file);
    const { id } = await runtime.conversations.import(agent.record.id, { messages });
    return noteOutcome(
      `Kept ${countLabel(messages.length, "message")} as conversation ${id}. /search finds what was said in it.`,
      `/resume ${id} goes on with it.`,
    );
  },
};
