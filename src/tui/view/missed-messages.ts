// What was said in the conversation from elsewhere since the chat saw it last: in another terminal, or by a script.
// Invariant: each message is told once, when a turn has begun that stands on it.
import type { AgentEvent } from "../../agent/events.ts";
import { pastItems, spokenMessages } from "./past-items.ts";
import type { Agent } from "../runtime-records.ts";
import type { ViewItem } from "./view-item.ts";

/** The events as they come; `show` is handed what others said meanwhile, the last of it. */
export async function* reportingMissed(
  turn: AsyncGenerator<AgentEvent, void>,
  agent: Agent,
  show: (items: readonly ViewItem[]) => void,
): AsyncGenerator<AgentEvent, void> {
  const known = new Set(agent.messages.map(({ id }) => id));
  for await (const event of turn) {
    yield event;
    if (event.type !== "turn-start") continue;
    const missed = spokenMessages(agent.messages).filter(({ id, turnId }) => !known.has(id) && turnId !== event.turnId);
    if (missed.length === 0) continue;
    show([{ kind: "notice", level: "note", text: "Said meanwhile in this conversation:" }, ...pastItems(missed)]);
  }
}
