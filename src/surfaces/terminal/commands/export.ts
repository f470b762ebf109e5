// `/export [FILE]`: writes the conversation to a new file as JSON Lines, in the format that `/import` reads.
import { messageLines } from "../../../base/message/message-lines.ts";
import { countLabel } from "../rows/labels.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { unquoted } from "./unquoted.ts";

export const exportCommand: Command = {
  name: "export",
  usage: "/export [FILE]",
  summary: "export this conversation as JSON Lines",
  manual:
    "writes the conversation to a new file (`conversation-ID.jsonl`), in the [format of an import](#importing-a-conversation)",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, textFiles }) {
    if (textFiles === undefined) return refusalOutcome("This chat has no access to files.");
    const messages = await runtime.conversations.export(agent.conversationId);
    if (messages.length === 0) return noteOutcome("There are no messages to export yet.");
    const file = argument === "" ? `conversation-${agent.conversationId}.jsonl` : unquoted(argument);
    await textFiles.create(file, messageLines(messages));
    return noteOutcome(
      `Wrote ${countLabel(messages.length, "message")} to ${file}: JSON Lines with role, text and time.`,
      `/import ${file} or \`palimpsest conversations import ${file}\` reads it, also for another agent.`,
    );
  },
};
