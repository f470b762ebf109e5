// Selects, from the stored events of a turn, those of the answer that it has now.
// Invariant: pure; what is left out was replaced by a later answer, or was streamed and never stored as a message.
import type { AgentEvent, StopReason } from "../agent/events.ts";

/** After one of these a turn only starts again to be answered anew. */
const completed: ReadonlySet<StopReason> = new Set([
  "end-turn",
  "tool-rule",
  "length",
  "refusal",
  "max-steps",
  "budget",
]);

/**
 * Returns the events that a reader needs who has seen none: without those of answers that were given again, and without the
 * text of model calls that failed, were repeated, or ended with their process.
 */
export function replayRun(
  events: readonly AgentEvent[],
  {
    onlyStored = false,
  }: {
    /** Leaves out what the last model call streamed if its reply is not stored. */ readonly onlyStored?: boolean;
  } = {},
): readonly AgentEvent[] {
  return withoutFailedText(events.slice(lastBeginning(events)), onlyStored);
}

function lastBeginning(events: readonly AgentEvent[]): number {
  const end = events.findLastIndex((event, at) => {
    return event.type === "turn-end" && completed.has(event.stopReason) && at < events.length - 1;
  });
  return end + 1;
}

/** After one of these the reply of the model call is stored. */
const stored: ReadonlySet<string> = new Set(["tool-call", "approval-requested", "result-requested", "step-end"]);

function withoutFailedText(events: readonly AgentEvent[], onlyStored: boolean): readonly AgentEvent[] {
  const kept: AgentEvent[] = [];
  // Where the events of a model call begin whose reply is not stored yet.
  let begin: number | null = null;
  for (const event of events) {
    if (event.type === "retry") {
      const call = kept.splice(begin ?? kept.length);
      kept.push(...call.filter(isNoText));
      continue;
    }
    if (event.type === "turn-start") kept.splice(begin ?? kept.length);
    if (event.type === "step-start") begin = kept.length;
    else if (event.type === "turn-start" || stored.has(event.type)) begin = null;
    kept.push(event);
  }
  if (onlyStored && begin !== null) kept.splice(begin);
  return kept;
}

const isNoText = ({ type }: AgentEvent): boolean => type !== "text-delta" && type !== "thought-delta";
