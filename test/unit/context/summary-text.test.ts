// How summaries are told to the model: a note that begins with MemGPT's words, and the agent's own text after it.
import { missingSummary, type SummaryState, summaryMessages } from "../../../src/context/compaction/summary-text.ts";

const state = (text: string, fromPosition: number, throughPosition: number, threadMessages: number) => ({
  text,
  fromPosition,
  throughPosition,
  threadMessages,
});
const told = (all: readonly SummaryState[]) => summaryMessages(all, all);
const counted = "Results of tools count as messages here, but not in what searches find.";
const note = (hidden: number, total: number) =>
  `Note: prior messages (${hidden} of ${total} total messages) have been hidden from view.`;

test("C24 one summary of everything", () => {
  expect(told([state("We sailed.", 1, 12, 20)])).toEqual({
    note: `${note(12, 20)} The next message is your summary of the previous 12 messages. ${counted}`,
    text: "We sailed.",
  });
});

test("several have their ranges, and the numbers are those of the newest", () => {
  expect(told([state("We sailed.", 1, 10, 15), state("", 11, 20, 25), state("We rowed.", 21, 30, 41)])).toEqual({
    note: `${note(30, 41)} The next message has your summaries of the previous 30 messages, oldest first. ${counted}`,
    text:
      "[messages 1-10] We sailed.\n" +
      "[messages 11-20] (not summarized: conversation_search finds what was said in them)\n" +
      "[messages 21-30] We rowed.",
  });
});

test("without a summary there are no messages, and a later summary says how to find them", () => {
  expect(told([state("", 1, 40, 50)])).toBeNull();
  expect(missingSummary(3, 9)).toContain("Messages 3-9 could not be summarized");
});

test("those that did not fit are left out, and the numbers stay", () => {
  const all = [state("We sailed.", 1, 10, 15), state("We rowed.", 11, 30, 41)];
  expect(summaryMessages(all.slice(1), all)).toEqual({
    note: `${note(30, 41)} The next message has your summaries of the previous 30 messages, oldest first. ${counted}`,
    text: "[messages 11-30] We rowed.",
  });
  expect(summaryMessages([], all)).toBeNull();
});
