// `/resume [ID]`: lists the conversations, or goes on with one, named by its number in the list or the beginning of its id.
import { countLabel, whenLabel } from "../labels.ts";
import { pastItems } from "../past-items.ts";
import { span } from "../row.ts";
import type { ConversationSummary } from "../runtime-records.ts";
import type { Paragraph } from "../view-item.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

const listed = 20;
/** Among these an id is looked for. */
const searched = 1000;

export const resumeCommand: Command = {
  name: "resume",
  usage: "/resume [ID]",
  summary: "list conversations, or go on with one",
  isAlwaysReady: false,
  async run(context) {
    const { runtime, agent, argument } = context;
    const conversations = await runtime.conversations.list(agent.record.id, argument === "" ? listed : searched);
    if (argument === "") return listConversations(conversations, context);
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

function matching(conversations: readonly ConversationSummary[], argument: string): readonly ConversationSummary[] {
  const byNumber = /^\d{1,3}$/.test(argument) ? conversations[Number(argument) - 1] : undefined;
  if (byNumber !== undefined) return [byNumber];
  return conversations.filter((conversation) => conversation.id.startsWith(argument.toLowerCase()));
}

async function resume({ runtime, agent }: CommandContext, wanted: ConversationSummary): Promise<CommandOutcome> {
  if (wanted.id === agent.conversationId) return noteOutcome("This is that conversation.");
  const opened = await runtime.agents.open(agent.record.id, { conversation: { id: wanted.id } });
  const note = noteOutcome(`Going on with conversation ${wanted.id} (${countLabel(wanted.messages, "message")}).`);
  return { items: [...note.items, ...pastItems(opened.messages)], effect: { type: "open", agent: opened } };
}

function listConversations(
  conversations: readonly ConversationSummary[],
  { agent, now }: CommandContext,
): CommandOutcome {
  if (conversations.length === 0) return noteOutcome("There are no conversations yet.");
  const at = now();
  const paragraphs = conversations.map((conversation, index): Paragraph => {
    const isCurrent = conversation.id === agent.conversationId;
    const facts = `${countLabel(conversation.messages, "message")}, ${whenLabel(conversation.updatedAt, at)}${isCurrent ? ", this one" : ""}`;
    const number = String(index + 1).padStart(3);
    return {
      indent: 0,
      spans: [
        span(`${number}  `, "accent"),
        span(`${facts}  `, "faint"),
        span(oneLine(conversation), isCurrent ? "strong" : "plain"),
      ],
    };
  });
  return {
    items: [
      { kind: "panel", isCut: true, paragraphs },
      { kind: "notice", level: "note", text: "/resume 2 goes on with the second one." },
    ],
  };
}

function oneLine({ title, preview }: ConversationSummary): string {
  return (title ?? preview).replaceAll(/\s+/g, " ").trim() || "(empty)";
}
