// What stands for the messages that left the window: how many they are, and their summaries.
// Invariant: nothing in it changes from request to request until the next compaction.

export interface SummaryState {
  readonly text: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

/**
 * MemGPT's words, but for the count of messages that are in view: that would change with every message, and with it all
 * that a provider has in its cache from here on. `shown` are the newest of `all`; those before them did not fit.
 */
export function summaryText(shown: readonly SummaryState[], all: readonly SummaryState[]): string {
  const hidden = all.reduce((sum, { messages }) => sum + messages, 0);
  const note = `Note: prior messages (${hidden}) have been hidden from view due to conversation memory constraints.`;
  const texts = shown.map(({ text }) => text).filter((text) => text !== "");
  if (texts.length === 0) return note;
  const summarized = shown.reduce((sum, { messages }) => sum + messages, 0);
  return `${note}\nThe following is a summary of the previous ${summarized} messages:\n ${texts.join("\n")}`;
}
