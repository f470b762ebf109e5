// Computes the contents of the window at an earlier step from the records that its request was compiled from.
// Invariant: pure; stored messages change only if a text is forgotten, so the returned texts are otherwise those sent.
import type { CallResult } from "../../client/api-types.ts";

export type Compaction = CallResult<"GET /agents/:agent/conversations/:conversation/compactions">[number];

/** Returns the messages of a turn before the reply of its model call `number`, counted from 1. */
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

/** Returns the messages of the last turns. A tool's result belongs to the turn of its call. */
export function lastTurns<Message extends { readonly turnId: string; readonly role: string }>(
  messages: readonly Message[],
  count: number,
): readonly Message[] {
  const turns = [...new Set(messages.filter(({ role }) => role !== "tool").map(({ turnId }) => turnId))];
  if (count >= turns.length) return messages;
  const first = turns[turns.length - count];
  return first === undefined ? [] : messages.slice(messages.findIndex(({ turnId }) => turnId === first));
}

/** The messages of the current window, without the ids of their turns. */
export interface SentMessages {
  readonly messages: readonly { readonly role: string }[];
  /** Number of messages at the beginning that are summaries. */
  readonly summaries: number;
}

/**
 * Returns the index at which the last turns begin in the current window. Counts only user messages, because calls and
 * results may have been added or left out.
 */
export function startOf(sent: SentMessages, turns: readonly { readonly role: string }[]): number {
  const count = turns.filter(({ role }) => role === "user").length;
  if (count === 0) return sent.messages.length;
  const users = sent.messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  return Math.max(sent.summaries, users.at(-count) ?? 0);
}

/** Returns the messages that no compaction has removed from the window. `compactions`: from `compactionsAt`. */
export function messagesInWindow<Message extends { readonly id: string }>(
  earlier: readonly Message[],
  compactions: readonly Compaction[],
): readonly Message[] {
  const through = compactions.map((each) => each["throughId"]);
  return earlier.slice(earlier.findLastIndex(({ id }) => through.includes(id)) + 1);
}
