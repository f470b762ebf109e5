// Renders the summaries in a window for the model, in the position of the messages that they replace.
// Hidden messages are counted by state entries alone: a count of the thread, with the results of tools, would be another number.
// Invariant: pure, and it changes only with a compaction, because another text would invalidate the provider's prompt cache from
// here on.
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import { messageOverhead } from "../../model/tokens/token-counter.ts";

export interface SummaryState {
  /** Empty if the messages were dropped without a summary. */
  readonly text: string;
  /** The position in the thread, from 1, of the last message that it replaces. */
  readonly throughPosition: number;
}

/** The two messages of a summary. */
export interface SummaryMessages {
  /** The runtime's note, in the position of a user message. */
  readonly note: string;
  /** The summary, which the agent wrote, in the position of a reply: not part of what the user says next. */
  readonly text: string;
}

/**
 * Renders a note that messages are hidden, and their summaries, oldest first; null if none of them was summarized. The
 * beginning of the note is MemGPT's, without its numbers. Several summaries are numbered. `shown` are the newest of `all`: the
 * older ones did not fit.
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

/** Returns the tokens of a summary's messages; 0 for null. */
export function summaryTokens(messages: SummaryMessages | null, count: (text: string) => number): number {
  return messages === null ? 0 : 2 * messageOverhead + count(messages.note) + count(messages.text);
}

/** Follows an earlier summary if the messages after it could not be summarized. */
export const missingSummary = `(The messages after that could not be summarized: ${findable} them.)`;
