// Selects, from the events of a turn, those of the answer that it has now.
// Invariant: pure. What is left out was replaced by a later answer, or was streamed and never stored as a message: a turn that
// starts again names its last stored reply, so that events and messages say the same.
import type { AgentEvent } from "../../../agent/events.ts";

/**
 * Returns the events that a reader needs who has seen none: without those of answers that were given again, and without the
 * text of model calls that failed, were repeated, or ended with their process.
 */
export function replayRun(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const kept: AgentEvent[] = [];
  for (const event of events) {
    if (event.type === "turn-start" && event.replyId !== undefined) kept.splice(endOfReply(kept, event.replyId));
    if (event.type === "retry" || isFailure(event)) dropText(kept);
    if (event.type !== "retry") kept.push(event);
  }
  return kept;
}

/** Returns where the events of the first reply begin that came after this one. */
function endOfReply(events: readonly AgentEvent[], replyId: string | null): number {
  const begin = events.findIndex((event) => event.type === "step-start" && event.messageId === replyId);
  const next = events.findIndex(({ type }, at) => at > begin && type === "step-start");
  return next === -1 ? events.length : next;
}

function isFailure(event: AgentEvent): boolean {
  return event.type === "turn-end" && (event.stopReason === "model-error" || event.stopReason === "context-overflow");
}

/** Drops the text of a model call that is still being streamed. */
function dropText(events: AgentEvent[]): void {
  const last = events.findLastIndex(({ type }) => boundaries.has(type));
  if (events[last]?.type !== "step-start") return;
  for (const event of events.splice(last)) if (isNoText(event)) events.push(event);
}

const boundaries: ReadonlySet<string> = new Set(["turn-start", "step-start", "step-end"]);

const isNoText = ({ type }: AgentEvent): boolean => type !== "text-delta" && type !== "thought-delta";
