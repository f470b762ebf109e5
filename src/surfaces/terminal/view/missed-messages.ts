// Shows messages that other terminals or scripts added to the conversation since the last turn.
// Invariant: each message is shown once, when the first turn after it has started.
import type { AgentEvent } from "../../../agent/events.ts";
import { pastItems, visibleMessages } from "./past-items.ts";
import type { Agent } from "../runtime-records.ts";
import type { ViewItem } from "./view-item.ts";

/** Passes the events on; calls `show` with the last messages that others have added meanwhile. */
export async function* reportingMissed(
  turn: AsyncGenerator<AgentEvent, void>,
  agent: Agent,
  show: (items: readonly ViewItem[]) => void,
): AsyncGenerator<AgentEvent, void> {
  const known = new Set(agent.messages.map(({ id }) => id));
  for await (const event of turn) {
    yield event;
    if (event.type !== "turn-start") continue;
    const missed = visibleMessages(agent.messages).filter(
      ({ id, turnId }) => !known.has(id) && turnId !== event.turnId,
    );
    if (missed.length === 0) continue;
    show([{ kind: "notice", level: "note", text: "Meanwhile in this conversation:" }, ...pastItems(missed)]);
  }
}
