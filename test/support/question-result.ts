// The result of a question of an evaluation, found at once and not answered by a model, with the given changes.
import type { QuestionResult } from "../../src/surfaces/eval/results.ts";

export const questionResult = (change: Partial<QuestionResult>): QuestionResult => ({
  set: "one",
  category: "facts",
  question: "Where?",
  run: 0,
  recallAt5: 1,
  recallAt10: 1,
  reciprocalRank: 0.5,
  searchMs: 10,
  tokens: 100,
  literal: null,
  answer: null,
  isCorrect: null,
  isWrongAccepted: null,
  isAnswerable: true,
  ...change,
});
