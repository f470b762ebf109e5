// `palimpsest conversations`: conversations with an agent, and their messages.
import { RequestError } from "../../../base/errors.ts";
import { messageLines, parseMessageLines } from "../../../base/message/message-lines.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { clip, indent, minute, tableText } from "../format/listing-texts.ts";
import { writeText } from "../new-file.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { readTextFile } from "../parse/read-text.ts";
import { requireYes } from "../print.ts";

export const commands = commandTable({
  "conversations list": {
    summary: "list conversations, the last used first",
    flags: ["agent", "limit", "json"],
    async run(call) {
      const limit = limitFlag(call.line);
      const conversations = await (await call.runtime()).conversations.list(call.agent, { limit });
      const rows = conversations.map(({ id, updatedAt, messages, title, preview }) => [
        id,
        minute(updatedAt),
        String(messages),
        clip(title ?? preview, 60),
      ]);
      return {
        json: conversations,
        text: tableText(
          ["ID", "USED (UTC)", "MESSAGES", "TITLE OR BEGINNING"],
          rows,
          `"${call.agent}" has had no conversation yet.`,
        ),
      };
    },
  },
  "conversations add": {
    summary: "create an empty conversation",
    flags: ["agent", "title", "json"],
    async run(call) {
      const { title } = call.line.texts;
      const conversation = await (await call.runtime()).conversations.create(call.agent, given({ title }));
      const resume = `${call.world.command} -a ${call.agent} -r ${conversation.id}`;
      return { json: conversation, text: `Created conversation ${conversation.id}. To continue it: ${resume}` };
    },
  },
  "conversations fork": {
    summary: "copy a conversation, to continue both separately",
    details: "Default: the last used conversation; --resume names another.",
    flags: ["agent", "resume", "json"],
    async run(call) {
      const id = await conversationOf(call);
      const fork = await (await call.runtime()).conversations.fork(id);
      return { json: fork, text: `Copied conversation ${id} as ${fork.id}.` };
    },
  },
  "conversations show": {
    summary: "show the messages of a conversation",
    details: "Default: the last used conversation; --resume names another. Works with formerly shared agents, too.",
    flags: ["agent", "resume", "json"],
    async run(call) {
      const id = await conversationOf(call);
      const messages = await (await call.runtime()).conversations.export(id);
      const texts = messages.map(
        ({ role, speaker, text, at }) =>
          `${minute(at)}  ${speaker ?? (role === "user" ? "you" : "agent")}\n${indent(text)}`,
      );
      return {
        json: { conversationId: id, messages },
        text: texts.length === 0 ? "This conversation has no messages yet." : texts.join("\n"),
      };
    },
  },
  "conversations export": {
    usage: "FILE|-",
    summary: "export a conversation as JSON Lines",
    details:
      "Default: the last used conversation; --resume names another. Works with formerly shared agents, too.\n" +
      "conversations import reads the file.",
    flags: ["agent", "resume"],
    async run(call, file) {
      const id = await conversationOf(call);
      const messages = await (await call.runtime()).conversations.export(id);
      return writeText(call, file, { text: messageLines(messages), what: `${messages.length} messages` });
    },
  },
  "conversations import": {
    usage: "FILE.jsonl",
    summary: "import a conversation from JSON Lines",
    details:
      'One message per line, in their order: {"role":"user","speaker":"Ada","text":"Ahoy!","at":"2026-11-21T10:13:00Z"}. speaker is optional. If a line is invalid, nothing is imported.',
    flags: ["agent", "title", "json"],
    async run(call, file) {
      const messages = parseMessageLines(await readTextFile(file, "conversations import"), file);
      const { title } = call.line.texts;
      const runtime = await call.runtime();
      const { id } = await runtime.conversations.import(call.agent, { messages, ...given({ title }) });
      await runtime.idle();
      return {
        json: { conversationId: id, messages: messages.length },
        text: `Imported ${messages.length} messages as conversation ${id}.`,
      };
    },
  },
  "conversations branches": {
    summary: "list the branches of a conversation, the current first",
    details: "Default: the last used conversation; --resume names another. FORKS AT is the last shared message.",
    flags: ["agent", "resume", "json"],
    async run(call) {
      const id = await chosenConversation(call);
      const branches = id === null ? [] : await (await call.runtime()).conversations.branches(id);
      const rows = branches.map(({ id: end, at, messages, ownMessages, forkId, isCurrent, preview }) => [
        isCurrent ? "*" : "",
        end,
        minute(at),
        String(messages),
        isCurrent ? "" : String(ownMessages),
        isCurrent ? "" : (forkId ?? "the beginning"),
        clip(preview, 60),
      ]);
      return {
        json: branches,
        text: tableText(
          ["", "ID", "LAST (UTC)", "MESSAGES", "OWN", "FORKS AT", "ENDS WITH"],
          rows,
          `There is no message yet in a conversation with "${call.agent}".`,
        ),
      };
    },
  },
  "conversations switch": {
    usage: "MESSAGE",
    summary: "switch a conversation to another message or branch",
    details:
      "Default: the last used conversation; --resume names another. `conversations branches` shows ids. What you send next\n" +
      "follows MESSAGE. Memory does not change: edits made on a branch stay.",
    flags: ["agent", "resume", "wait"],
    async run(call, messageId) {
      const id = await conversationOf(call, "message_not_found");
      const agent = await (await call.runtime()).agents.open(call.agent, { conversation: { id }, withoutCalls: true });
      await agent.switchTo(messageId);
      return { text: `Conversation ${id} is now at message ${messageId}.` };
    },
  },
  "conversations rename": {
    usage: "ID TITLE",
    summary: "set the title of a conversation",
    details: "Listings show the title instead of the first message.",
    flags: ["json"],
    async run(call, conversationId, newTitle) {
      const { id, title } = await (await call.runtime()).conversations.rename(conversationId, newTitle);
      return { json: { id, title }, text: `Renamed conversation ${id} to "${title}".` };
    },
  },
  "conversations remove": {
    usage: "ID --yes",
    summary: "delete a conversation and its messages",
    details: "Memory and passages written in it stay, without a reference to it.",
    flags: ["yes"],
    async run(call, id) {
      requireYes(call, `the conversation ${id} with its messages`);
      await (await call.runtime()).conversations.delete(id);
      return { text: `Deleted conversation ${id}.` };
    },
  },
});

/** Returns the id of --resume, or of the agent's last conversation; null if none. Throws RequestError `agent_not_found`. */
async function chosenConversation(call: CommandCall): Promise<string | null> {
  const named = call.line.texts.resume;
  if (named !== undefined) return named;
  const [last] = await (await call.runtime()).conversations.list(call.agent, { limit: 1 });
  return last?.id ?? null;
}

/** Returns the same id as `chosenConversation`. Throws RequestError with `code` if the agent has no conversation. */
async function conversationOf(
  call: CommandCall,
  code: "conversation_not_found" | "message_not_found" = "conversation_not_found",
): Promise<string> {
  const id = await chosenConversation(call);
  if (id !== null) return id;
  throw new RequestError(
    code,
    `"${call.agent}" has no conversation yet. Start one with \`palimpsest -a ${call.agent}\`.`,
  );
}
