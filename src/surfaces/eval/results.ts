// Defines the measurements of an evaluation for each question, and summarizes them.
// Invariant: pure; each run of a question counts once in each mean, and a figure that was measured for no question is null.
import { largest, smallest } from "../../base/lists.ts";
import type { LiteralVerdict } from "./read-literally.ts";

/** The measurements of one question in one run. */
export interface QuestionResult {
  readonly set: string;
  readonly category: string;
  readonly question: string;
  readonly run: number;
  /** The share of the evidence in the first 5 or 10 hits, and 1 / rank of its first hit; null without evidence. */
  readonly recallAt5: number | null;
  readonly recallAt10: number | null;
  readonly reciprocalRank: number | null;
  /** Milliseconds of the search; null in a talk. */
  readonly searchMs: number | null;
  /** With a model: input and output tokens of the turn. Without one: the estimated tokens of the reply. */
  readonly tokens: number;
  /** The verdict on the literal reader's reply. Null in a talk, for a model's reply, and without junk or forgotten messages. */
  readonly literal: LiteralVerdict | null;
  /**
   * With a model: the answer, and the judge's verdicts on it and on a wrong answer. In a talk without a model: the reply, and
   * whether it meets the expectation. Otherwise null.
   */
  readonly answer: string | null;
  readonly isCorrect: boolean | null;
  readonly isWrongAccepted: boolean | null;
  readonly isAnswerable: boolean;
}

/** Null for each measurement of a search, for a question without a search. */
export const notMeasured = { recallAt5: null, recallAt10: null, reciprocalRank: null, searchMs: null, literal: null };

export interface Summary {
  readonly questions: number;
  readonly recallAt5: number | null;
  readonly recallAt10: number | null;
  readonly mrr: number | null;
  readonly tokens: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** The share of the questions with junk or forgotten messages whose first page of hits leads to a wrong answer. */
  readonly junkRate: number | null;
  /** The share of the questions with junk or forgotten messages whose first page shows no evidence and no junk. */
  readonly missedRate: number | null;
  readonly score: number | null;
  /** The lowest and the highest score of a single run. */
  readonly scoreRange: readonly [number, number] | null;
  /** The score of the questions with the right answer "unknown". */
  readonly abstention: number | null;
  /** The share of answers known to be wrong that the judge accepted. */
  readonly falseAccepts: number | null;
}

export function summarize(results: readonly QuestionResult[]): Summary {
  const mean = (of: (result: QuestionResult) => number | null): number | null => meanOf(results.map(of));
  const share = (of: (result: QuestionResult) => boolean | null): number | null =>
    mean((result) => numberOf(of(result)));
  const times = results.flatMap(({ searchMs }) => searchMs ?? []);
  return {
    questions: new Set(results.map(({ set, question }) => `${set} ${question}`)).size,
    recallAt5: mean(({ recallAt5 }) => recallAt5),
    recallAt10: mean(({ recallAt10 }) => recallAt10),
    mrr: mean(({ reciprocalRank }) => reciprocalRank),
    tokens: mean(({ tokens }) => tokens),
    p50Ms: quantileOf(times, 0.5),
    p95Ms: quantileOf(times, 0.95),
    junkRate: share(({ literal }) => (literal === null ? null : literal === "junk")),
    missedRate: share(({ literal }) => (literal === null ? null : literal === "missed")),
    score: share(({ isCorrect }) => isCorrect),
    scoreRange: rangeOf(results),
    abstention: share(({ isCorrect, isAnswerable }) => (isAnswerable ? null : isCorrect)),
    falseAccepts: share(({ isWrongAccepted }) => isWrongAccepted),
  };
}

/** Returns the summary of each category, sorted by name. */
export function summarizeCategories(results: readonly QuestionResult[]): Readonly<Record<string, Summary>> {
  const names = [...new Set(results.map(({ category }) => category))].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, summarize(results.filter(({ category }) => category === name))]),
  );
}

function rangeOf(results: readonly QuestionResult[]): readonly [number, number] | null {
  const runs = [...new Set(results.map(({ run }) => run))];
  const scores = runs.flatMap((run) => {
    const score = meanOf(results.filter((one) => one.run === run).map(({ isCorrect }) => numberOf(isCorrect)));
    return score === null ? [] : [score];
  });
  return scores.length === 0 ? null : [smallest(scores), largest(scores)];
}

function numberOf(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function quantileOf(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
