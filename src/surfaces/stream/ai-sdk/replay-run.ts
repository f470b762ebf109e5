// Selects the events of a turn's current answer.
// Invariant: pure. An event is left out if its answer was replaced by a later answer, or was streamed but never stored. When
// a turn continues, its event `turn-start` names the last stored reply, so the selected events agree with the stored
// messages.
import type { AgentEvent } from "../../../agent/events.ts";
import { foldTurn, noTurn, type VoidedReplies } from "../../../agent/fold-turn.ts";

/**
 * Returns the events for a reader that has seen none: without answers that were replaced, and without the text of model calls
 * that failed, were repeated, or ended with their process.
 */
export function replayRun(events: readonly AgentEvent[]): readonly AgentEvent[] {
  let state = noTurn;
  let kept: AgentEvent[] = [];
  for (const event of events) {
    const { turn, voided } = foldTurn(state, event);
    state = turn;
    if (voided !== null) kept = without(kept, voided);
    if (event.type !== "retry") kept.push(event);
  }
  return kept;
}

function without(events: readonly AgentEvent[], { replies: [first], isTextOnly }: VoidedReplies): AgentEvent[] {
  const begin = events.findLastIndex((event) => event.type === "step-start" && event.messageId === first?.id);
  return events.filter((event, at) => at < begin || (isTextOnly && !isText(event)));
}

const isText = ({ type }: AgentEvent): boolean => type === "text-delta" || type === "thought-delta";
