// Renders the summaries in a window for the model, in the position of the messages that they replace, after a note. The note
// does not give the number of hidden messages: it would differ from that in state entries, which do not count tool results.
// Invariant: pure; the text changes only with a compaction, because a changed text invalidates the rest of the provider's
// prompt cache.
import { escapeReservedTags } from "../../base/message/reserved-tags.ts";
import { messageOverhead } from "../../model/tokens/token-counter.ts";

export interface SummaryState {
  /** The summary; empty if the messages were dropped without one. */
  readonly text: string;
  /** The position in the thread, from 1, of the last message that the summary replaces. */
  readonly throughPosition: number;
}

export interface SummaryMessages {
  /** The runtime's note, sent as a user message. */
  readonly note: string;
  /** The summary. It is sent as a reply, so that the model does not take it for the user's text. */
  readonly text: string;
}

/**
 * Returns a note that messages are hidden, and their summaries, oldest first; null if no message was summarized. The note
 * begins like MemGPT's, but without numbers. Several summaries are numbered. `shown`: the newest summaries of `all`, as many
 * as fit.
 */
export function summaryMessages(shown: readonly SummaryState[], all: readonly SummaryState[]): SummaryMessages | null {
  const newest = all.at(-1);
  if (newest === undefined || shown.every(({ text }) => text.trim() === "")) return null;
  const note = "Note: prior messages have been hidden from view. The next message";
  if (all.length === 1) return { note: `${note} is your summary of them.`, text: escapeReservedTags(newest.text) };
  const first = all.length - shown.length + 1;
  const parts = shown.map(({ text }, at) => `[part ${first + at} of ${all.length}] ${partText(text)}`);
  return { note: `${note} has your summaries of them, oldest first.`, text: parts.join("\n") };
}

const findable = "conversation_search finds what was said in";

function partText(text: string): string {
  return text.trim() === "" ? `(not summarized: ${findable} it)` : escapeReservedTags(text);
}

/** Returns the tokens of the summaries as messages; 0 for null. */
export function summaryTokens(messages: SummaryMessages | null, count: (text: string) => number): number {
  return messages === null ? 0 : 2 * messageOverhead + count(messages.note) + count(messages.text);
}

/** Added to an earlier summary if the messages after that summary could not be summarized. */
export const missingSummary = `(The messages after that could not be summarized: ${findable} them.)`;
