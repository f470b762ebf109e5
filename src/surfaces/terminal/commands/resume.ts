// `/resume [ID]`: lists the conversations to choose from, or resumes one by its number or the beginning of its id.
import { conversationPicker } from "../dialogs/conversation-picker.ts";
import { countLabel } from "../rows/labels.ts";
import { pastItems } from "../view/past-items.ts";
import type { ConversationSummary } from "../runtime-records.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

/** Number of newest conversations that are listed and searched by id. */
const maxConversations = 1000;
/** Number of messages in the preview. */
const ending = { messageLimit: 8, maxTokens: 4000 };

export const resumeCommand: Command = {
  name: "resume",
  usage: "/resume [ID]",
  summary: "choose a conversation to resume, or name one",
  manual: "lists the conversations to choose one, or resumes one",
  isAlwaysReady: false,
  async run(context) {
    const { runtime, agent, argument } = context;
    const conversations = await runtime.conversations.list(agent.record.id, { limit: maxConversations });
    if (argument === "") return pick(context, conversations);
    const matches = matching(conversations, argument);
    const [wanted] = matches;
    if (wanted === undefined) return refusalOutcome(`There is no conversation "${argument}".`, "/resume lists them.");
    if (matches.length > 1)
      return refusalOutcome(
        `"${argument}" is the beginning of ${matches.length} conversations.`,
        "Give more of the id.",
      );
    return resume(context, wanted);
  },
};

async function pick(context: CommandContext, conversations: readonly ConversationSummary[]): Promise<CommandOutcome> {
  if (conversations.length === 0) return noteOutcome("There are no conversations yet.");
  const { runtime, agent } = context;
  const picker = conversationPicker({
    agentName: agent.record.name,
    conversations,
    currentId: agent.conversationId,
    ending: async (conversation) => (await runtime.conversations.history({ conversation, ...ending })).messages,
  });
  const wanted = await context.open(picker);
  return wanted === null ? { items: [] } : resume(context, wanted);
}

function matching(conversations: readonly ConversationSummary[], argument: string): readonly ConversationSummary[] {
  const byNumber = /^\d{1,3}$/.test(argument) ? conversations[Number(argument) - 1] : undefined;
  if (byNumber !== undefined) return [byNumber];
  return conversations.filter((conversation) => conversation.id.startsWith(argument.toLowerCase()));
}

async function resume({ runtime, agent }: CommandContext, wanted: ConversationSummary): Promise<CommandOutcome> {
  if (wanted.id === agent.conversationId) return noteOutcome("This conversation is already open.");
  const opened = await runtime.agents.open(agent.record.id, { conversation: { id: wanted.id } });
  const note = noteOutcome(`Going on with conversation ${wanted.id} (${countLabel(wanted.messages, "message")}).`);
  return { items: [...note.items, ...pastItems(opened.messages)], effect: { type: "open", agent: opened } };
}
