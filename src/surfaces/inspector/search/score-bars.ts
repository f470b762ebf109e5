// Computes bars that show the reasons for the ranks of hits.
// Invariant: pure; all hits of a page have the same scale for the bars of one reason.
import { explanationParts, type HitExplanation } from "../../../base/search-view/search-explanation.ts";

export interface ScoreBar {
  readonly name: string;
  /** The length of the bar, from 0 to 1; for a penalty, the size of the penalty. */
  readonly share: number;
  readonly isPenalty: boolean;
  readonly text: string;
}

type BarName = ReturnType<typeof explanationParts>[number]["name"];

/** Returns the bars of a hit. `all`: the explanations of every hit on the page, including this one. */
export function scoreBars(explanation: HitExplanation, all: readonly HitExplanation[]): readonly ScoreBar[] {
  return explanationParts(explanation).map(({ name, text }) => {
    const value = values[name](explanation);
    const most = all.reduce((found, each) => Math.max(found, Math.abs(values[name](each))), 0);
    return { name, text, share: most === 0 ? 0 : Math.min(1, Math.abs(value) / most), isPenalty: value < 0 };
  });
}

const values: Readonly<Record<BarName, (explanation: HitExplanation) => number>> = {
  words: ({ words }) => words?.score ?? 0,
  meaning: ({ meaning }) => meaning?.cosine ?? 0,
  literal: ({ literal, identifier }) => (literal || identifier === true ? 1 : 0),
  bonus: ({ bonus }) => bonus ?? 0,
  importance: ({ importance }) => importance ?? 0,
  total: ({ score }) => score,
};
