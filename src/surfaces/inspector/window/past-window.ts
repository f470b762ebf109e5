// What was in the window of an earlier step, computed from the records that its request was made from.
// Invariant: pure; messages never change, so the returned text is the text that was sent, unless it was forgotten since.
import type { CallResult } from "../../client/api-types.ts";

export type Compaction = CallResult<"GET /agents/:agent/conversations/:conversation/compactions">[number];

/** Returns the messages of a turn that its model call of this number, from 1, had: those before its reply. */
export function messagesBeforeReply<Message extends { readonly role: string }>(
  turn: readonly Message[],
  number: number,
): readonly Message[] {
  let replies = 0;
  const reply = turn.findIndex(({ role }) => role === "assistant" && ++replies === number);
  return reply === -1 ? turn : turn.slice(0, reply);
}

/** Returns the compactions that were in effect at a moment, oldest first; `at`: ISO 8601. */
export function compactionsAt(compactions: readonly Compaction[], at: string): readonly Compaction[] {
  const moment = Date.parse(at);
  return compactions
    .filter((each) => Date.parse(each.at) <= moment)
    .filter(({ undoneAt }) => undoneAt === null || Date.parse(undoneAt) > moment)
    .toSorted((one, other) => one.throughPosition - other.throughPosition || Date.parse(one.at) - Date.parse(other.at));
}

/** Returns the messages that no compaction had removed from the window. `compactions`: those in effect, oldest first. */
export function messagesInWindow<Message extends { readonly id: string }>(
  earlier: readonly Message[],
  compactions: readonly Compaction[],
): readonly Message[] {
  const through = compactions.map((each) => each["throughId"]);
  return earlier.slice(earlier.findLastIndex(({ id }) => through.includes(id)) + 1);
}
