// Formats the notices that appear on stderr while a headless turn runs.
import type { AgentEvent, EventOf } from "../../../agent/events.ts";
import { codePointLength } from "../../../base/code-points.ts";

/** Returns the notice about an event as lines; none for an event without a notice. */
export function eventNotices(event: AgentEvent): readonly string[] {
  return noticeOf(event)?.split("\n") ?? [];
}

function noticeOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "memory-edit":
      return `memory: ${event.label} was changed (${codePointLength(event.after)}/${event.limit} characters, revision ${event.revision})`;
    case "approval-requested":
      return approvalNotice(event);
    case "result-requested":
      return `result needed: ${event.name} ${event.arguments} (from the program that offered this tool)`;
    case "memory-revert":
      return revertedNotice(event);
    case "compaction":
      return compactionNotice(event);
    case "warning":
      return `warning: ${event.message}`;
    case "turn-queued":
      return `the conversation is busy (${event.holder ?? `${event.ahead} message(s) before this one`}): waiting`;
    case "retry":
      return `retrying the model call in ${(event.delayMs / 1000).toFixed(1)} s: ${event.reason}`;
    default:
      return undefined;
  }
}

function approvalNotice(event: EventOf<"approval-requested">): string {
  const { callId, name, preview } = event;
  const asked = `approval needed: ${name} ${event.arguments} (approvals approve ${callId}, or approvals deny ${callId})`;
  return preview === null ? asked : `${asked}\n${preview}`;
}

function compactionNotice(event: EventOf<"compaction">): string {
  const { messages, strategy, tokensBefore, tokensAfter } = event;
  const how = strategy === "truncate" ? "left the window" : "were summarized";
  return `compaction: ${messages} messages ${how}, ${tokensBefore} -> ${tokensAfter} tokens`;
}

function revertedNotice({ edits, passages }: EventOf<"memory-revert">): string {
  const named = edits.map(({ label, revision }) => `revision ${revision} of ${label}`);
  const archived = passages.length === 0 ? [] : [`${passages.length} passage${passages.length === 1 ? "" : "s"}`];
  return `memory: reverted with the last answer: ${[...named, ...archived].join(", ")}`;
}
