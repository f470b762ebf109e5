// How the summaries in a window are told to the model, in place of the messages that they stand for.
// Invariant: pure, and it changes only with a compaction: a figure that grew with the thread would take all that a provider has
// in its cache from here on with it.
import { escapeReservedTags } from "../../base/reserved-tags.ts";

export interface SummaryState {
  /** Empty when nothing is told of the messages. */
  readonly text: string;
  /** Positions in the thread, both included, from 1. */
  readonly fromPosition: number;
  readonly throughPosition: number;
  /** Messages of the thread when the summary was made, in the window and out of it. */
  readonly threadMessages: number;
}

/**
 * How much is hidden, and the summaries in its place, oldest first. MemGPT's words; with several, each has its range. `shown`
 * are the newest of `all`: those before them did not fit.
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

/** What is told of messages for which no summary could be had, after an earlier summary. */
export function missingSummary(fromPosition: number, throughPosition: number): string {
  return `(Messages ${fromPosition}-${throughPosition} could not be summarized: ${findable}.)`;
}
