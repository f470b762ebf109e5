// How summaries are told to the model: a note that begins with MemGPT's words, and the agent's own text after it.
import { missingSummary, type SummaryState, summaryMessages } from "../../../src/context/compaction/summary-text.ts";

const state = (text: string, throughPosition: number) => ({ text, throughPosition });
const told = (all: readonly SummaryState[]) => summaryMessages(all, all);
const note = "Note: prior messages have been hidden from view.";
const several = `${note} The next message has your summaries of them, oldest first.`;

test("C24 one summary of everything, without a number: that of a state entry counts other messages", () => {
  expect(told([state("We sailed.", 12)])).toEqual({
    note: `${note} The next message is your summary of them.`,
    text: "We sailed.",
  });
});

test("several are numbered", () => {
  expect(told([state("We sailed.", 10), state("", 20), state("We rowed.", 30)])).toEqual({
    note: several,
    text:
      "[part 1 of 3] We sailed.\n" +
      "[part 2 of 3] (not summarized: conversation_search finds what was said in it)\n" +
      "[part 3 of 3] We rowed.",
  });
});

test("without a summary there are no messages, and a later summary says how to find them", () => {
  expect(told([state("", 40)])).toBeNull();
  expect(missingSummary).toContain("could not be summarized: conversation_search finds");
});

test("those that did not fit are left out, and the numbers stay", () => {
  const all = [state("We sailed.", 10), state("We rowed.", 30)];
  expect(summaryMessages(all.slice(1), all)).toEqual({ note: several, text: "[part 2 of 2] We rowed." });
  expect(summaryMessages([], all)).toBeNull();
});
