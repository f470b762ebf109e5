// Estimates the tokens and the cost of an evaluation with models, before any token is spent.
// Invariant: pure; for most models, the estimate is too high rather than too low.
import { dollarsOf, type ModelPrice, type Usage } from "../../base/message/message.ts";
import type { EvalSet } from "./eval-set.ts";
import { measuredRounds, rounds } from "./run-tidying.ts";
import type { TidyingCase } from "./tidying-cases.ts";

/**
 * Usage of one answer, which takes three calls: a search, a second search, and the reply. Measured with the default prompt and
 * tools.
 */
const answerUsage: Usage = { inputTokens: 9000, cachedInputTokens: 0, outputTokens: 300 };
const verdictUsage: Usage = { inputTokens: 2000, cachedInputTokens: 0, outputTokens: 5 };

/** Returns the estimates. `dollars`: null if the price of a model is not configured. */
export function estimateCost(
  sets: readonly EvalSet[],
  runs: number,
  prices: { readonly answers: ModelPrice | null; readonly judges: ModelPrice | null },
) {
  const questions = sets.flatMap((set) => set.questions);
  const tidied = sets.flatMap(({ cases = [] }) => tidyingAnswers(cases));
  const said = sets.flatMap(({ talk = [] }) => talk.filter((step) => "say" in step));
  const expected = said.flatMap(({ expect: expectation }) => expectation ?? []);
  const answers = runs * questions.reduce((sum, { told }) => sum + 1 + told.length, said.length + tidied.length);
  const wrong = [...questions.map((question) => question.wrong), ...expected.map((one) => one.wrong[0]), ...tidied];
  const verdicts = runs * wrong.reduce((sum, one) => sum + (one === undefined ? 1 : 2), 0);
  const total = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
  const dollars =
    prices.answers === null || prices.judges === null
      ? null
      : answers * dollarsOf(answerUsage, prices.answers) + verdicts * dollarsOf(verdictUsage, prices.judges);
  return { answers, verdicts, tokens: answers * total(answerUsage) + verdicts * total(verdictUsage), dollars };
}

/**
 * Returns an item for each answer about the cases, and two for each consolidation, which calls its model at most twice.
 * An item is the wrong answer with which the judge is checked, too; undefined if there is none.
 */
function tidyingAnswers(cases: readonly TidyingCase[]): readonly (string | undefined)[] {
  const asked = [...measuredRounds, ...measuredRounds, rounds].flatMap((round) =>
    cases.filter((_, at) => at % rounds < round).map(({ wrong }) => wrong),
  );
  return [...asked, ...Array.from({ length: cases.length === 0 ? 0 : 2 * rounds }, () => undefined)];
}
