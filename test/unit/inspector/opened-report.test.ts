// Reports of evaluations that the user opens: what is a report, its bars, and the questions that failed.
import { reportOf } from "../../../src/surfaces/eval/report.ts";
import { evalBars, evalColumns, failedQuestions } from "../../../src/surfaces/inspector/evals/eval-figures.ts";
import { openedReport } from "../../../src/surfaces/inspector/evals/opened-report.ts";
import { questionResult } from "../../support/question-result.ts";

const models = { answers: "model/a", judges: "model/b" };
const searches = reportOf(
  [
    questionResult({ literal: "junk" }),
    questionResult({ question: "Who?", category: "times", recallAt10: 0, literal: "missed" }),
    questionResult({ question: "When?" }),
  ],
  { version: "1.0.0", models: null, runs: 1 },
);
const answers = reportOf(
  [
    questionResult({ isCorrect: true, answer: "There." }),
    questionResult({ isCorrect: false, answer: "Nowhere.", run: 1 }),
    questionResult({ question: "Who?", isCorrect: true, answer: "She.", run: 1 }),
  ],
  { version: "1.0.0", models, runs: 2 },
);

test("what `eval` writes is opened as it is", () => {
  for (const report of [searches, answers]) {
    expect(openedReport(JSON.stringify(report, null, 2))).toEqual({ report, fault: null });
  }
});

test.each([
  ["{", "not JSON"],
  ["null", "`total`"],
  ["[]", "`total`"],
  [JSON.stringify({ ...searches, version: 1 }), "`version`"],
  [JSON.stringify({ ...searches, runs: "2" }), "`runs`"],
  [JSON.stringify({ ...searches, models: { answers: "a" } }), "`models`"],
  [JSON.stringify({ ...searches, total: { ...searches.total, mrr: "high" } }), "`total`"],
  [JSON.stringify({ ...searches, total: { ...searches.total, scoreRange: [1] } }), "`total`"],
  [JSON.stringify({ ...searches, categories: { facts: null } }), "`categories.facts`"],
  [JSON.stringify({ ...searches, results: undefined }), "`results`"],
  [JSON.stringify({ ...searches, results: [{ set: "one" }] }), "`results.0`"],
])("a file with another form is refused with the field, case %#", (text, part) => {
  const { report, fault } = openedReport(text);
  expect(report).toBeNull();
  expect(fault).toContain(part);
  expect(fault).toContain("Choose such a file.");
});

test("each category has a bar of each report, with the spread of the runs", () => {
  expect(evalBars([searches]).map(({ category, bars }) => [category, bars.map(({ text }) => text)])).toEqual([
    ["facts", ["100 %"]],
    ["times", ["0 %"]],
    ["total", ["67 %"]],
  ]);
  expect(evalBars([answers]).at(-1)?.bars).toEqual([
    { report: 0, value: 2 / 3, range: [0.5, 1], text: "67 %, 50 % to 100 %" },
  ]);
  expect(evalBars([searches, answers])[1]?.bars.map(({ report }) => report)).toEqual([0]);
});

test("a bar is drawn within its frame, whatever the file says", () => {
  const total = { ...answers.total, score: 1e9, scoreRange: [-5, 1e9] as const };
  expect(evalBars([{ ...answers, total }]).at(-1)?.bars[0]).toMatchObject({ value: 1, range: [0, 1] });
});

test("the questions that failed are listed with the reason", () => {
  expect(failedQuestions(searches).map(({ result: { question }, reason }) => [question, reason])).toEqual([
    ["Where?", "reads junk"],
    ["Who?", "evidence not among the first 10"],
  ]);
  expect(failedQuestions(answers).map(({ result: { answer }, reason }) => [answer, reason])).toEqual([
    ["Nowhere.", "wrong answer"],
  ]);
});

test("the columns are those of the table that `eval` prints", () => {
  const cells = (hasModel: boolean, { total }: typeof searches) => evalColumns(hasModel).map(({ text }) => text(total));
  expect(cells(false, searches)).toEqual(["3", "1.000", "0.667", "0.500", "100", "10, 10 ms", "0.500", "0.500"]);
  expect(cells(true, answers).slice(-4)).toEqual(["0.667", "0.500–1.000", "–", "–"]);
});
