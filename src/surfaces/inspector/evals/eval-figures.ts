// Computes the figures of evaluations side by side: what is measured, the bars of each category, and the failed questions.
// Invariant: pure; figures without and with a model are never in the same column or chart.
import type { EvalReport } from "../../eval/report.ts";
import type { QuestionResult, Summary } from "../../eval/results.ts";
import { numberText, percentText } from "../parts/number-text.ts";

export interface EvalColumn {
  readonly title: string;
  readonly text: (summary: Summary) => string;
}

const none = "–";
const share = (value: number | null): string => (value === null ? none : value.toFixed(3));
const count = (value: number | null): string => (value === null ? none : numberText(value));

const searches: readonly EvalColumn[] = [
  { title: "Questions", text: ({ questions }) => numberText(questions) },
  { title: "Recall@5", text: ({ recallAt5 }) => share(recallAt5) },
  { title: "Recall@10", text: ({ recallAt10 }) => share(recallAt10) },
  { title: "MRR", text: ({ mrr }) => share(mrr) },
  { title: "Tokens", text: ({ tokens }) => count(tokens) },
  { title: "p50, p95", text: ({ p50Ms, p95Ms }) => `${count(p50Ms)}, ${count(p95Ms)} ms` },
];
const withoutModel: readonly EvalColumn[] = [
  { title: "Junk", text: ({ junkRate }) => share(junkRate) },
  { title: "Missed", text: ({ missedRate }) => share(missedRate) },
];
const withModel: readonly EvalColumn[] = [
  { title: "Score", text: ({ score }) => share(score) },
  { title: "Range of the runs", text: ({ scoreRange: range }) => (range === null ? none : range.map(share).join("–")) },
  { title: "Abstention", text: ({ abstention }) => share(abstention) },
  { title: "False accepts", text: ({ falseAccepts }) => share(falseAccepts) },
];

/** Returns the columns for reports that were all made with a model, or all without. */
export function evalColumns(hasModel: boolean): readonly EvalColumn[] {
  return [...searches, ...(hasModel ? withModel : withoutModel)];
}

export interface EvalBar {
  /** The index of the report in the list. */
  readonly report: number;
  /** The figure, from 0 to 1. */
  readonly value: number;
  /** The lowest and highest value of the runs, from 0 to 1, if there were several. */
  readonly range: readonly [number, number] | null;
  readonly text: string;
}

/**
 * Returns the bars of each category, then of the total: one bar for each report that has the score or, without a model,
 * recall@10.
 */
export function evalBars(
  reports: readonly EvalReport[],
): readonly { readonly category: string; readonly bars: readonly EvalBar[] }[] {
  const names = [...new Set(reports.flatMap(({ categories }) => Object.keys(categories)))].sort();
  const rows = names.map((name) => ({ category: name, of: (report: EvalReport) => report.categories[name] }));
  return [...rows, { category: "total", of: ({ total }: EvalReport) => total }].map(({ category, of }) => ({
    category,
    bars: reports.flatMap((report, at) => barOf(report, of(report), at)),
  }));
}

function barOf({ models, runs }: EvalReport, summary: Summary | undefined, report: number): readonly EvalBar[] {
  const value = models === null ? summary?.recallAt10 : summary?.score;
  if (value === null || value === undefined) return [];
  const range = runs > 1 ? (summary?.scoreRange ?? null) : null;
  const spread = range === null ? "" : `, ${percentText(range[0])} to ${percentText(range[1])}`;
  const drawn = (one: number): number => Math.min(1, Math.max(0, one));
  return [
    {
      report,
      value: drawn(value),
      range: range === null ? null : [drawn(range[0]), drawn(range[1])],
      text: `${percentText(value)}${spread}`,
    },
  ];
}

export interface FailedQuestion {
  readonly result: QuestionResult;
  readonly reason: string;
}

/**
 * Returns the questions with a wrong answer. Without a model, returns those for which the search missed the evidence, or
 * would lead a reader to a wrong answer.
 */
export function failedQuestions({ models, results }: EvalReport): readonly FailedQuestion[] {
  return results.flatMap((result) => {
    const reason = models === null ? searchFault(result) : result.isCorrect === false ? "wrong answer" : null;
    return reason === null ? [] : [{ result, reason }];
  });
}

function searchFault({ literal, recallAt10 }: QuestionResult): string | null {
  if (literal === "junk") return "reads junk";
  if (recallAt10 === 0) return "evidence not among the first 10";
  return literal === "missed" ? "neither evidence nor junk" : null;
}
