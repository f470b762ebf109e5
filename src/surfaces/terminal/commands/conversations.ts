// Defines the slash commands that open, name and copy conversations, switch branches, and write conversations to files.
import { messageLines, parseMessageLines } from "../../../base/message/message-lines.ts";
import { acceptByEnter, choiceList } from "../dialogs/choice-list.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { countLabel, shortened, whenLabel } from "../rows/labels.ts";
import { type Row, span } from "../rows/row.ts";
import { flatText, wrapText } from "../rows/wrap.ts";
import type { ConversationSummary, BranchRecord } from "../runtime-records.ts";
import { reopenedItems, pastItems } from "../view/past-items.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  elementsMeant,
  noteOutcome,
  refusalOutcome,
  typedPath,
} from "./command.ts";
import type { Paragraph } from "../view/view-item.ts";
import { notice, rowPanel } from "../view/notices.ts";

export const newCommand = command({
  usage: "/new",
  summary: "start a new conversation; memory stays",
  manual: "starts a new conversation with the same agent and memory",
  async run({ runtime, agent }) {
    const opened = await runtime.agents.open(agent.record.id, { conversation: "new" });
    return {
      ...noteOutcome("A new conversation. Core memory, recall and archival memory stay."),
      effect: { type: "open", agent: opened },
    };
  },
});

/** Maximum number of conversations, counted from the newest, that are listed or searched for an id. */
const maxConversations = 1000;
/** Limits of the preview, which shows the end of a conversation. */
const ending = { messageLimit: 8, maxTokens: 4000 };

export const resumeCommand = command({
  usage: "/resume [ID]",
  summary: "choose a conversation to resume, or name one",
  manual: "lists the conversations to choose one, or resumes one",
  async run(context) {
    const { runtime, agent, argument } = context;
    const conversations = await runtime.conversations.list(agent.record.id, { limit: maxConversations });
    if (argument === "") return pick(context, conversations);
    const matches = elementsMeant(conversations, argument, ({ id }) => id.startsWith(argument.toLowerCase()));
    const [wanted] = matches;
    if (wanted === undefined)
      return refusalOutcome(`There is no conversation "${argument}".`, "/resume lists the conversations.");
    if (matches.length > 1)
      return refusalOutcome(
        `"${argument}" is the beginning of ${matches.length} conversations.`,
        "Type more of the id.",
      );
    return resume(context, wanted);
  },
});

async function pick(context: CommandContext, conversations: readonly ConversationSummary[]): Promise<CommandOutcome> {
  if (conversations.length === 0) return noteOutcome("There are no conversations yet.");
  const wanted = await context.open(conversationPicker(context, conversations));
  return wanted === null ? { items: [] } : resume(context, wanted);
}

async function resume({ runtime, agent }: CommandContext, wanted: ConversationSummary): Promise<CommandOutcome> {
  if (wanted.id === agent.conversationId) return noteOutcome("This conversation is already open.");
  const opened = await runtime.agents.open(agent.record.id, { conversation: { id: wanted.id } });
  const note = noteOutcome(`Resumed conversation ${wanted.id} (${countLabel(wanted.messages, "message")}).`);
  return { items: [...note.items, ...reopenedItems(opened)], effect: { type: "open", agent: opened } };
}

export const forkCommand = command({
  usage: "/fork",
  summary: "continue in a copy of this conversation; shares memory",
  async run({ runtime, agent, argument }) {
    if (argument !== "") return refusalOutcome("/fork takes no argument.", "/branch switches within a conversation.");
    const { id } = await runtime.conversations.fork(agent.conversationId);
    const opened = await runtime.agents.open(agent.record.id, { conversation: { id } });
    const note = noteOutcome(
      "Continuing in a copy of the conversation. Both share core memory and the archive.",
      `/resume ${agent.conversationId} returns to the original.`,
    );
    return { ...note, effect: { type: "open", agent: opened } };
  },
});

export const renameCommand = command({
  usage: "/rename TITLE",
  summary: "set the title of this conversation",
  isAlwaysReady: true,
  async run({ runtime, agent, argument }) {
    if (argument === "") return refusalOutcome("Missing title: /rename TITLE", "/resume lists the conversations.");
    const { title } = await runtime.conversations.rename(agent.conversationId, argument);
    return noteOutcome(`This conversation is now called "${title}".`);
  },
});

export const saveCommand = command({
  usage: "/save",
  summary: "show how to resume (everything is already saved)",
  isAlwaysReady: true,
  run: async ({ agent }) =>
    noteOutcome(
      `Every message is already saved. This is conversation ${agent.conversationId}.`,
      `\`palimpsest -a ${agent.record.name} -r ${agent.conversationId}\` resumes it.`,
    ),
});

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
    const file = argument === "" ? `conversation-${agent.conversationId}.jsonl` : typedPath(argument);
    await textFiles.create(file, messageLines(messages));
    return noteOutcome(
      `Wrote ${countLabel(messages.length, "message")} to ${file}: JSON Lines with role, text and time.`,
      `/import ${file} or \`palimpsest conversations import ${file}\` reads it, also for another agent.`,
    );
  },
});

// `/import` does not open the imported conversation: the chat stays in the current one.
export const importCommand = command({
  usage: "/import FILE",
  summary: "import a conversation from JSON Lines",
  manual: "imports a file in that format as a conversation; all or nothing",
  async run({ runtime, agent, argument, textFiles }) {
    if (textFiles === undefined) return refusalOutcome("This chat has no access to files.");
    if (argument === "") return refusalOutcome("Missing file: /import FILE.", "/import conversation.jsonl");
    const file = typedPath(argument);
    const messages = parseMessageLines(await textFiles.read(file), file);
    const { id } = await runtime.conversations.import(agent.record.id, { messages });
    return noteOutcome(
      `Imported ${countLabel(messages.length, "message")} as conversation ${id}. /search finds its messages.`,
      `/resume ${id} opens it.`,
    );
  },
});

/** Maximum length of a message in the preview, in UTF-16 units. */
const maxMessageLength = 300;

/** Returns a read-only dialog with the chosen conversation as its result. */
function conversationPicker(
  { runtime, agent }: CommandContext,
  conversations: readonly ConversationSummary[],
): Dialog<ConversationSummary> {
  const agentName = agent.record.name;
  return choiceList<ConversationSummary, ConversationSummary>({
    title: `Conversations of ${agentName}`,
    items: conversations,
    keys: ["Enter resume"],
    accept: acceptByEnter,
    // The filter searches only the beginning of the id, because hex digits can contain a short word such as "ada".
    textOf: ({ id, title, preview }) => `${id.slice(0, 8)} ${title ?? ""} ${preview}`,
    rowOf: (conversation, { isChosen, now }) => {
      const { id, messages, updatedAt } = conversation;
      const facts = `${countLabel(messages, "message")}, ${whenLabel(updatedAt, now)}${id === agent.conversationId ? ", this one" : ""}`;
      return [span(openingLine(conversation), isChosen ? "strong" : "plain"), span(`  ${facts}`, "faint")];
    },
    preview: async ({ id }) => {
      const { messages } = await runtime.conversations.history({ conversation: id, ...ending });
      if (messages.length === 0) return () => [[span("  No messages.", "faint")]];
      return (width) =>
        messages.flatMap(({ role, text }) => messageRows(role === "user" ? "you" : agentName, text, width));
    },
  });
}

/** Returns the title of a conversation; its first message if it has no title. */
function openingLine({ title, preview }: ConversationSummary): string {
  return shortened(flatText(title ?? preview).trim(), 60) || "(empty)";
}

function messageRows(name: string, text: string, width: number): readonly Row[] {
  const shown = shortened(flatText(text).trim(), maxMessageLength);
  return wrapText(shown, "faint", { width, lead: [span(`  ${name}: `, "accent")] });
}

/** `/branch [N]`: lists the branches, or switches to one by its number or the end of its id. */
export const branchCommand = command({
  usage: "/branch [N]",
  summary: "list branches or switch to one; memory stays as it is",
  manual: "lists the branches of the conversation, or switches to one; memory does not change",
  async run(context) {
    const { agent, argument } = context;
    const branches = await agent.branches();
    if (argument === "") return listBranches(branches, context);
    // Compares the ends of ids: ids begin with the time of creation, so those of one conversation often begin alike.
    const matches = elementsMeant(branches, argument, ({ id }) => id.endsWith(argument.toLowerCase()));
    const [wanted] = matches;
    if (wanted === undefined) return refusalOutcome(`There is no branch "${argument}".`, "/branch lists the branches.");
    if (matches.length > 1)
      return refusalOutcome(`"${argument}" is the end of ${matches.length} ids.`, "Type more of the id.");
    if (wanted.isCurrent) return noteOutcome("That is the current branch.");
    await agent.switchTo(wanted.id);
    const note = noteOutcome(`Switched to a branch of ${countLabel(wanted.messages, "message")}. Memory is unchanged.`);
    return { items: [...note.items, ...pastItems(agent.messages)], effect: { type: "open", agent } };
  },
});

/** Returns the advice below the list of branches. The first branch is the current one. */
function nextText(branches: readonly BranchRecord[]): string {
  return branches.length === 1
    ? "There is no other branch yet: /retry and /pop create one."
    : "/branch 2 switches to the second one.";
}

function listBranches(branches: readonly BranchRecord[], { now }: CommandContext): CommandOutcome {
  if (branches.length === 0) return noteOutcome("There are no messages yet, so there are no branches.");
  const at = now();
  const paragraphs = branches.map((branch, index): Paragraph => {
    const own = branch.isCurrent ? ", this one" : `, ${branch.ownMessages} of its own`;
    return {
      indent: 0,
      spans: [
        span(`${String(index + 1).padStart(3)}  `, "accent"),
        span(`${countLabel(branch.messages, "message")}${own}, ${whenLabel(branch.at, at)}  `, "faint"),
        span(branch.preview.replaceAll(/\s+/g, " ").trim() || "(nothing said)", branch.isCurrent ? "strong" : "plain"),
      ],
    };
  });
  return { items: [rowPanel(paragraphs), notice("note", nextText(branches))] };
}
