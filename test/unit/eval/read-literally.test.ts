// What somebody concludes from the literal reader's reply.
import { evalSetOf } from "../../../src/surfaces/eval/eval-set.ts";
import { newerCounts } from "../../../src/surfaces/eval/literal-reader.ts";
import { readLiterally } from "../../../src/surfaces/eval/read-literally.ts";

const [before, after] = ["I live on Orchard Road, third floor.", 'We moved to 14 Linden Lane, "at last".'];
const set = evalSetOf({
  name: "one",
  conversations: [
    { at: "2025-09-01T10:00:00Z", messages: [{ id: "old", role: "user", text: before }] },
    { at: "2026-02-01T10:00:00Z", messages: [{ id: "new", role: "user", text: after }] },
  ],
  questions: [
    { category: "updates", question: "Where?", answer: "?", evidence: ["new"], junk: ["old"] },
    { category: "forgetting", question: "Where?", answer: "?", evidence: [], forgotten: ["old"] },
    { category: "abstention", question: "Who?", answer: "?", evidence: [], junk: ["old"] },
  ],
});
const [update, forgotten, unknown] = set.questions;
const [old, current] = [`2025-09-01: ${before}`, `2026-02-01: ${JSON.stringify(after)}`];

describe("readLiterally", () => {
  it.each([
    ["the first of two decides without the rule", `${old}\n${current}`, "junk"],
    ["the first of two is the evidence", `${current}\n${old}`, "right"],
    ["the newer of two counts with the rule", `${newerCounts}\n${old}\n${current}`, "right"],
    ["the rule is of no use without the days", `${newerCounts}\n${before}\n${after}`, "junk"],
    ["junk alone is believed", `${newerCounts}\n${old}`, "junk"],
    ["evidence alone is right", current, "right"],
    ["a result is read with what is below it", `${newerCounts}\n[1] ${old}\n  [2] said earlier: ${current}`, "right"],
    ["the next result is not read", `${newerCounts}\n[1] ${old}\n[2] ${current}`, "junk"],
    ["neither is shown", "No results.", "missed"],
    ["an excerpt with the end of a message shows it", "…r Road. 2025-09-01 e on Orchard Road, third floor.", "missed"],
  ])("%s", (_, reply, verdict) => {
    expect(readLiterally(reply, update!, set)).toBe(verdict);
  });

  it("counts a forgotten message as junk wherever it is shown", () => {
    expect(readLiterally(`${newerCounts}\n${current}\n${old}`, forgotten!, set)).toBe("junk");
    expect(readLiterally(current, forgotten!, set)).toBe("right");
  });

  it("concludes nothing about a question without evidence", () => {
    expect(readLiterally(old, unknown!, set)).toBeNull();
  });
});
