// Judges answers by a model, and the judge by answers that are known to be wrong.
// Invariant: the judge sees the question, the right answer and the given one, and nothing that was retrieved.
import { loadPrompt } from "../../context/prompts/load-prompt.ts";
import type { EvalQuestion } from "./eval-set.ts";

/** Changes with every change of the prompt `judge-answer`: scores of different versions cannot be compared. */
export const judgeVersion = 1;

export function judgePrompt(): string {
  return loadPrompt("judge-answer");
}

export function judgeRequest({ question, answer }: Pick<EvalQuestion, "question" | "answer">, given: string): string {
  return `Question: ${question}\nRight answer: ${answer}\nGiven answer: ${given}\nCORRECT or WRONG?`;
}

/** Null if the reply contains neither word, or both: such a verdict is not counted. */
export function verdictOf(reply: string): boolean | null {
  const says = (word: string): boolean => new RegExp(`\\b${word}\\b`, "iu").test(reply);
  if (says("CORRECT") === says("WRONG")) return null;
  return says("CORRECT");
}
