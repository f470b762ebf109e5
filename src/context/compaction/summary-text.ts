// Renders the summaries in a window for the model, in the position of the messages that they replace.
// The numbers of a note count every message of the thread. A state entry counts what searches find, in all conversations.
// Invariant: pure, and it changes only with a compaction: a number that grew with the thread would invalidate the
// provider's prompt cache from here on.
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import { messageOverhead } from "../../model/tokens/count-message.ts";

export interface SummaryState {
  /** Empty if the messages were dropped without a summary. */
  readonly text: string;
  /** Positions in the thread from 1, both inclusive. */
  readonly fromPosition: number;
  readonly throughPosition: number;
  /** Messages of the thread when the summary was made, inside and outside the window. */
  readonly threadMessages: number;
}

/** The two messages of a summary. */
export interface SummaryMessages {
  /** The runtime's note, in the position of a user message. */
  readonly note: string;
  /** The summary, which the agent wrote, in the position of a reply: not part of what the user says next. */
  readonly text: string;
}

/**
 * Renders the number of hidden messages, and their summaries, oldest first; null if none of them was summarized. The
 * beginning of the note is MemGPT's; several summaries have their ranges. `shown` are the newest of `all`: the older ones
 * did not fit.
 */
export function summaryMessages(shown: readonly SummaryState[], all: readonly SummaryState[]): SummaryMessages | null {
  const newest = all.at(-1);
  if (newest === undefined || shown.every(({ text }) => text.trim() === "")) return null;
  const { throughPosition: hidden, threadMessages } = newest;
  const note = `Note: prior messages (${hidden} of ${threadMessages} total messages) have been hidden from view.`;
  if (all.length === 1) {
    const next = `The next message is your summary of the previous ${hidden} messages.`;
    return { note: `${note} ${next} ${counted}`, text: escapeReservedTags(newest.text) };
  }
  const next = `The next message has your summaries of the previous ${hidden} messages, oldest first.`;
  return { note: `${note} ${next} ${counted}`, text: shown.map(entryText).join("\n") };
}

const counted = "Results of tools count as messages here, but not in what searches find.";
const findable = "conversation_search finds what was said in them";

function entryText({ text, fromPosition, throughPosition }: SummaryState): string {
  return `[messages ${fromPosition}-${throughPosition}] ${text.trim() === "" ? `(not summarized: ${findable})` : escapeReservedTags(text)}`;
}

/** Returns the tokens of a summary's messages; 0 for null. */
export function summaryTokens(messages: SummaryMessages | null, count: (text: string) => number): number {
  return messages === null ? 0 : 2 * messageOverhead + count(messages.note) + count(messages.text);
}

/** Returns the note for messages that could not be summarized, to follow an earlier summary. */
export function missingSummary(fromPosition: number, throughPosition: number): string {
  return `(Messages ${fromPosition}-${throughPosition} could not be summarized: ${findable}.)`;
}
