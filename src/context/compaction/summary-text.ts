// Renders the summaries in a window for the model, in the position of the messages that they replace.
// Invariant: pure, and it changes only with a compaction: a number that grew with the thread would invalidate the
// provider's prompt cache from here on.
import { escapeReservedTags } from "../../base/reserved-tags.ts";

export interface SummaryState {
  /** Empty if the messages were dropped without a summary. */
  readonly text: string;
  /** Positions in the thread from 1, both inclusive. */
  readonly fromPosition: number;
  readonly throughPosition: number;
  /** Messages of the thread when the summary was made, inside and outside the window. */
  readonly threadMessages: number;
}

/**
 * Renders the number of hidden messages, and their summaries, oldest first. The wording is MemGPT's; several summaries
 * have their ranges. `shown` are the newest of `all`: the older ones did not fit.
 */
export function summaryText(shown: readonly SummaryState[], all: readonly SummaryState[]): string {
  const newest = all.at(-1);
  const hidden = newest?.throughPosition ?? 0;
  const note = `Note: prior messages (${hidden} of ${newest?.threadMessages ?? 0} total messages) have been hidden from view due to conversation memory constraints.`;
  if (shown.every(({ text }) => text === "")) return `${note}\nThey were not summarized: ${findable}.`;
  if (all.length === 1)
    return `${note}\nThe following is a summary of the previous ${hidden} messages:\n ${escapeReservedTags(newest?.text ?? "")}`;
  return `${note}\nThe following are summaries of the previous ${hidden} messages, oldest first:\n ${shown.map(entryText).join("\n ")}`;
}

const findable = "conversation_search finds what was said in them";

function entryText({ text, fromPosition, throughPosition }: SummaryState): string {
  return `[messages ${fromPosition}-${throughPosition}] ${text === "" ? `(not summarized: ${findable})` : escapeReservedTags(text)}`;
}

/** Returns the note for messages that could not be summarized, to follow an earlier summary. */
export function missingSummary(fromPosition: number, throughPosition: number): string {
  return `(Messages ${fromPosition}-${throughPosition} could not be summarized: ${findable}.)`;
}
