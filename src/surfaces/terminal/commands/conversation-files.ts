// The slash commands that export a conversation to a file and import one, as JSON Lines.
import { messageLines, parseMessageLines } from "../../../base/message/message-lines.ts";
import { countLabel } from "../rows/labels.ts";
import { command, noteOutcome, refusalOutcome, unquoted } from "./command.ts";

export const exportCommand = command({
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
});

// The chat stays in its conversation.
export const importCommand = command({
  usage: "/import FILE",
  summary: "import a conversation from JSON Lines",
  manual: "imports such a file as a conversation; all or nothing",
  async run({ runtime, agent, argument, textFiles }) {
    if (textFiles === undefined) return refusalOutcome("This chat has no access to files.");
    if (argument === "") return refusalOutcome("Missing file: /import FILE.", "/import conversation.jsonl");
    const file = unquoted(argument);
    const messages = parseMessageLines(await textFiles.read(file), file);
    const { id } = await runtime.conversations.import(agent.record.id, { messages });
    return noteOutcome(
      `Imported ${countLabel(messages.length, "message")} as conversation ${id}. /search finds its messages.`,
      `/resume ${id} opens it.`,
    );
  },
});
