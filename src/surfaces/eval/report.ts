// Formats the results of an evaluation: the JSON, a table, and a chart as SVG.
// Invariant: pure; the JSON contains what is needed to repeat the evaluation.
import { largest } from "../../base/lists.ts";
import { judgePrompt, judgeVersion } from "./judge.ts";
import { type QuestionResult, type Summary, summarize, summarizeCategories } from "./results.ts";

export interface EvalReport {
  readonly version: string;
  readonly models: { readonly answers: string; readonly judges: string } | null;
  readonly judge: { readonly version: number; readonly prompt: string } | null;
  readonly runs: number;
  readonly total: Summary;
  readonly categories: Readonly<Record<string, Summary>>;
  readonly results: readonly QuestionResult[];
}

export function reportOf(
  results: readonly QuestionResult[],
  facts: Pick<EvalReport, "version" | "models" | "runs">,
): EvalReport {
  return {
    ...facts,
    judge: facts.models === null ? null : { version: judgeVersion, prompt: judgePrompt() },
    total: summarize(results),
    categories: summarizeCategories(results),
    results,
  };
}

interface Column {
  readonly title: string;
  readonly text: (summary: Summary) => string;
}

const figure = (value: number | null, digits = 3): string => (value === null ? "-" : value.toFixed(digits));

const retrieval: readonly Column[] = [
  { title: "n", text: ({ questions }) => String(questions) },
  { title: "recall@5", text: ({ recallAt5 }) => figure(recallAt5) },
  { title: "recall@10", text: ({ recallAt10 }) => figure(recallAt10) },
  { title: "MRR", text: ({ mrr }) => figure(mrr) },
  { title: "tokens", text: ({ tokens }) => figure(tokens, 0) },
  { title: "p50 ms", text: ({ p50Ms }) => figure(p50Ms, 0) },
  { title: "p95 ms", text: ({ p95Ms }) => figure(p95Ms, 0) },
];
const literal: readonly Column[] = [
  { title: "junk", text: ({ junkRate }) => figure(junkRate) },
  { title: "missed", text: ({ missedRate }) => figure(missedRate) },
];
const score: Column = { title: "score", text: (summary) => figure(summary.score) };
const answers: readonly Column[] = [
  score,
  {
    title: "range",
    text: ({ scoreRange: range }) => (range === null ? "-" : range.map((one) => figure(one)).join("-")),
  },
  { title: "abstention", text: ({ abstention }) => figure(abstention) },
  { title: "false accepts", text: ({ falseAccepts }) => figure(falseAccepts) },
];

/** Returns a table with one line for each category, and the total last. */
export function tableOf({ models, total, categories }: EvalReport): string {
  const columns = [
    ...retrieval,
    ...(models === null ? [...literal, ...(total.score === null ? [] : [score])] : answers),
  ];
  const rows = [...Object.entries(categories), ["total", total] as const];
  const cells = [
    ["", ...columns.map(({ title }) => title)],
    ...rows.map(([name, one]) => [name, ...columns.map(({ text }) => text(one))]),
  ];
  const widths = cells[0]!.map((_, at) => largest(cells.map((row) => row[at]!.length)));
  return cells
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!))).join("  "))
    .join("\n");
}

const [barHeight, barGap, labelWidth, barWidth] = [18, 8, 150, 400];

/** Returns horizontal bars by category as SVG: the score, or recall@10 without a model. */
export function chartOf({ models, total, categories }: EvalReport): string {
  const measure = models === null ? "recall@10" : "score";
  const bars = [...Object.entries(categories), ["total", total] as const].flatMap(([name, { recallAt10, score }]) => {
    const value = models === null ? recallAt10 : score;
    return value === null ? [] : [{ name, value }];
  });
  const height = 40 + bars.length * (barHeight + barGap);
  const lines = bars.map(({ name, value }, row) => {
    const y = 32 + row * (barHeight + barGap);
    const end = labelWidth + value * barWidth;
    return [
      `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${(value * barWidth).toFixed(1)}" height="${barHeight}" fill="#4a7ebb"/>`,
      `<text x="${(end + 6).toFixed(1)}" y="${y + 13}">${value.toFixed(3)}</text>`,
    ].join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + barWidth + 60}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<text x="${labelWidth}" y="18" font-weight="bold">${measure}</text>`,
    ...lines,
    "</svg>\n",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
