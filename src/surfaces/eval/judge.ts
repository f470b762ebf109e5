// Judges answers with a model, and checks the judge with answers that are known to be wrong.
// Invariant: the judge sees the question, the right answer and the given answer, and nothing that was retrieved.
import { loadPrompt } from "../../context/prompts/load-prompt.ts";
import type { EvalQuestion } from "./eval-set.ts";

/** Increased with every change of the prompt `judge-answer`, because scores of different versions cannot be compared. */
export const judgeVersion = 1;

export function judgePrompt(): string {
  return loadPrompt("judge-answer");
}

export function judgeRequest({ question, answer }: Pick<EvalQuestion, "question" | "answer">, given: string): string {
  return `Question: ${question}\nRight answer: ${answer}\nGiven answer: ${given}\nCORRECT or WRONG?`;
}

/** Returns whether the judge accepts the answer; null (not counted) unless the reply has exactly one of CORRECT and WRONG. */
export function verdictOf(reply: string): boolean | null {
  const says = (word: string): boolean => new RegExp(`\\b${word}\\b`, "iu").test(reply);
  if (says("CORRECT") === says("WRONG")) return null;
  return says("CORRECT");
}
