// How summaries are told to the model: MemGPT's words, with ranges when there are several.
import { missingSummary, type SummaryState, summaryText } from "../../../src/context/compaction/summary-text.ts";

const state = (text: string, fromPosition: number, throughPosition: number, threadMessages: number) => ({
  text,
  fromPosition,
  throughPosition,
  threadMessages,
});
const told = (all: readonly SummaryState[]) => summaryText(all, all);
const note = (hidden: number, total: number) =>
  `Note: prior messages (${hidden} of ${total} total messages) have been hidden from view due to conversation memory constraints.\n`;

test("C24 one summary of everything", () => {
  expect(told([state("We sailed.", 1, 12, 20)])).toBe(
    `${note(12, 20)}The following is a summary of the previous 12 messages:\n We sailed.`,
  );
});

test("several have their ranges, and the numbers are those of the newest", () => {
  expect(told([state("We sailed.", 1, 10, 15), state("", 11, 20, 25), state("We rowed.", 21, 30, 41)])).toBe(
    `${note(30, 41)}The following are summaries of the previous 30 messages, oldest first:\n` +
      " [messages 1-10] We sailed.\n" +
      " [messages 11-20] (not summarized: conversation_search finds what was said in them)\n" +
      " [messages 21-30] We rowed.",
  );
});

test("without a summary, it says how to find the messages", () => {
  expect(told([state("", 1, 40, 50)])).toBe(
    `${note(40, 50)}They were not summarized: conversation_search finds what was said in them.`,
  );
  expect(missingSummary(3, 9)).toContain("Messages 3-9 could not be summarized");
});

test("those that did not fit are left out, and the numbers stay", () => {
  const all = [state("We sailed.", 1, 10, 15), state("We rowed.", 11, 30, 41)];
  expect(summaryText(all.slice(1), all)).toBe(
    `${note(30, 41)}The following are summaries of the previous 30 messages, oldest first:\n [messages 11-30] We rowed.`,
  );
  expect(summaryText([], all)).toContain("They were not summarized");
});
