// The summary of results, the judge's verdicts, the table, the chart and the file of results.
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { estimateCost } from "../../../src/surfaces/eval/estimate-cost.ts";
import { readShippedSets } from "../../../src/surfaces/eval/eval-set.ts";
import { verdictOf } from "../../../src/surfaces/eval/judge.ts";
import { chartOf, reportOf, tableOf } from "../../../src/surfaces/eval/report.ts";
import { openResultFile } from "../../../src/surfaces/eval/result-file.ts";
import { summarize } from "../../../src/surfaces/eval/results.ts";
import { readTidyingCases } from "../../../src/surfaces/eval/tidying-cases.ts";
import { questionResult } from "../../support/question-result.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const models = { answers: "model/a", judges: "model/b" };

describe("summarize", () => {
  it("leaves out questions that have no such figure", () => {
    const none = { recallAt5: null, recallAt10: null, reciprocalRank: null };
    const found = summarize([
      questionResult({ literal: "junk", searchMs: 30 }),
      questionResult({ question: "Who?", recallAt10: 0, reciprocalRank: 0, literal: "missed" }),
      questionResult({ question: "When?", ...none, isAnswerable: false }),
    ]);
    expect(found).toMatchObject({
      questions: 3,
      recallAt10: 0.5,
      mrr: 0.25,
      junkRate: 0.5,
      missedRate: 0.5,
      p50Ms: 10,
      p95Ms: 30,
    });
    expect(found).toMatchObject({ score: null, scoreRange: null, abstention: null, falseAccepts: null });
    expect(summarize([])).toMatchObject({ questions: 0, recallAt10: null, p50Ms: null });
  });

  it("has the range of the runs, abstention and the wrong answers that the judge accepted", () => {
    const found = summarize([
      questionResult({ isCorrect: true, isWrongAccepted: true }),
      questionResult({ isCorrect: false, isWrongAccepted: false, question: "Who?", isAnswerable: false }),
      questionResult({ isCorrect: true, isWrongAccepted: false, run: 1 }),
      questionResult({ isCorrect: true, isWrongAccepted: false, question: "Who?", isAnswerable: false, run: 1 }),
    ]);
    expect(found).toMatchObject({
      questions: 2,
      score: 0.75,
      scoreRange: [0.5, 1],
      abstention: 0.5,
      falseAccepts: 0.25,
    });
  });
});

describe("verdictOf", () => {
  it.each([
    ["CORRECT", true],
    ["Wrong.", false],
    ["CORRECT? No, WRONG", null],
    ["INCORRECT", null],
    ["", null],
  ])("%s", (reply, verdict) => {
    expect(verdictOf(reply)).toBe(verdict);
  });
});

describe("a report", () => {
  const facts = { version: "1", runs: 1 };

  it("names the judge's prompt and version if there is one", () => {
    expect(reportOf([], { ...facts, models }).judge).toMatchObject({ version: 1 });
    expect(reportOf([], { ...facts, models: null }).judge).toBeNull();
  });

  it("is a table with the columns that were measured", () => {
    const plain = tableOf(reportOf([questionResult({ literal: "junk" })], { ...facts, models: null }));
    expect(plain.split("\n").map((line) => line.split(/ {2,}/u))).toEqual([
      ["", "n", "recall@5", "recall@10", "MRR", "tokens", "p50 ms", "p95 ms", "junk", "missed"],
      ["facts", "1", "1.000", "1.000", "0.500", "100", "10", "10", "1.000", "0.000"],
      ["total", "1", "1.000", "1.000", "0.500", "100", "10", "10", "1.000", "0.000"],
    ]);
    expect(tableOf(reportOf([questionResult({ isCorrect: true })], { ...facts, models }))).toContain("1.000-1.000");
    const talk = reportOf([questionResult({ isCorrect: false, searchMs: null })], { ...facts, models: null });
    expect(tableOf(talk).split("\n")[1]).toMatch(/ - {2,}- {2,}- {2,}- {2,}0\.000$/u);
  });

  it("is a chart, in which names are escaped", () => {
    const chart = chartOf(reportOf([questionResult({ category: 'a<b>&"' })], { ...facts, models: null }));
    expect(chart).toContain("a&lt;b&gt;&amp;&quot;");
    expect(chart.match(/<rect /gu)).toHaveLength(2);
    expect(chartOf(reportOf([questionResult({ recallAt10: null })], { ...facts, models: null }))).not.toContain(
      "<rect",
    );
  });
});

describe("the estimate", () => {
  it("counts answers, verdicts and runs, and has a cost if both prices are known", () => {
    const sets = readShippedSets();
    const price = { input: 1, cachedInput: 1, output: 1 };
    const known = estimateCost(sets, 2, { answers: price, judges: price });
    const questions = sets.flatMap((set) => set.questions).length;
    const said = sets.flatMap(({ talk = [] }) => talk.flatMap((step) => ("say" in step ? [step.expect] : [])));
    const expected = said.flatMap((one) => (one === undefined ? [] : [1 + one.wrong.slice(0, 1).length]));
    const verdicts = expected.reduce((sum, one) => sum + one, 0);
    expect(known).toMatchObject({ answers: 2 * (questions + said.length), verdicts: 2 * (2 * questions + verdicts) });
    expect(known.dollars).toBeCloseTo(known.tokens / 1e6, 6);
    expect(estimateCost(sets, 1, { answers: price, judges: null }).dollars).toBeNull();
  });

  it("counts two calls for each of the 20 consolidations, and one answer for each arm and measured round", () => {
    const cases = [...readTidyingCases("case question\nsaid Tea.\nask What? | Tea")];
    const [set] = readShippedSets();
    const prices = { answers: null, judges: null };
    expect(estimateCost([{ ...set!, questions: [], talk: [], cases }], 1, prices).answers).toBe(4 + 4 + 1 + 2 * 20);
  });
});

describe("the file of results", () => {
  const folder = useFolderOfTest();

  it("is continued after an interruption, also in the middle of a line", () => {
    openResultFile(folder(), { models }).add(questionResult({}));
    appendFileSync(path.join(folder(), "results.jsonl"), '{"set": "on');
    expect(openResultFile(folder(), { models }).known).toEqual([questionResult({})]);
  });

  it("continues after an incomplete line with a new one", () => {
    openResultFile(folder(), { models });
    appendFileSync(path.join(folder(), "results.jsonl"), '{"set": "on');
    openResultFile(folder(), { models }).add(questionResult({}));
    expect(openResultFile(folder(), { models }).known).toEqual([questionResult({})]);
  });

  it("of another evaluation is refused and left alone", () => {
    openResultFile(folder(), { models }).add(questionResult({}));
    const before = readFileSync(path.join(folder(), "results.jsonl"), "utf8");
    expect(() => openResultFile(folder(), { models: null })).toThrow("to belong to this evaluation");
    expect(readFileSync(path.join(folder(), "results.jsonl"), "utf8")).toBe(before);
  });
});
