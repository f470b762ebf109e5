// What the model reads at the beginning of a conversation about the ones before it with the user.
// Invariant: the lines are material like what a search finds: they stay with the first message, and a forgetting deletes them with it.
import { formatDay } from "../base/calendar.ts";
import type { EarlierConversation } from "../store/port/store.ts";
import type { Turn } from "./turn.ts";
import { noRetrieval, type TurnRetrieval } from "./turn-lookup.ts";

const maxShown = 3;

type FirstTurn = Pick<Turn, "agent" | "store" | "conversationId">;

/** Adds one item for each of the last conversations that is not among what was found, by one query. */
export async function withEarlier(found: TurnRetrieval | null, turn: FirstTurn): Promise<TurnRetrieval | null> {
  const { agent, store, conversationId } = turn;
  const { timeZone } = agent.settings;
  const earlier = await store.conversations.earlier(agent.id, conversationId, maxShown);
  const { items: others, warnings } = found ?? noRetrieval;
  const items = earlier
    .map((conversation) => ({ ...conversation, text: conversation.text.replaceAll(/\s+/gu, " ").trim() }))
    .filter(({ text }) => !others.some(({ line }) => line.includes(text)))
    .map((conversation) => ({
      source: "conversation",
      id: conversation.id,
      trust: conversation.trust,
      line: lineOf(conversation, timeZone),
    }));
  return items.length === 0 ? found : { items: [...items, ...others], warnings };
}

function lineOf({ at, title, text }: EarlierConversation, timeZone: string): string {
  return `Earlier conversation, ${formatDay(at, timeZone)}${title === null ? "" : `, "${title}"`}: ${text}`;
}
