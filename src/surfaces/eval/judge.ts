// Judges answers with a model, and checks the judge with answers that are known to be wrong.
// Invariant: the judge sees the question, the right answer and the given answer, and nothing that was retrieved.
import { loadPrompt } from "../../context/prompts/load-prompt.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EvalQuestion } from "./eval-set.ts";
import { inNewConversation } from "./new-conversation.ts";
import type { QuestionResult } from "./results.ts";

/** Increased with every change of the prompt `judge-answer`, because scores of different versions cannot be compared. */
export const judgeVersion = 1;

export function judgePrompt(): string {
  return loadPrompt("judge-answer");
}

type Judged = Pick<EvalQuestion, "question" | "answer" | "wrong">;

/** Returns the verdicts on a reply and, to check the judge, on the wrong answer. */
export type Judge = (question: Judged, reply: string) => Promise<Pick<QuestionResult, "isCorrect" | "isWrongAccepted">>;

/** Returns a judge that asks the model `judges`; null if no model judges. */
export function judgeOf(runtime: Runtime, models: { readonly judges: string } | null): Judge | null {
  if (models === null) return null;
  return async (question, reply) => ({
    isCorrect: await verdict(runtime, models.judges, judgeRequest(question, reply)),
    isWrongAccepted:
      question.wrong === undefined
        ? null
        : await verdict(runtime, models.judges, judgeRequest(question, question.wrong)),
  });
}

async function verdict(runtime: Runtime, model: string, request: string): Promise<boolean | null> {
  const name = "judge of answers";
  const agents = await runtime.agents.list();
  if (!agents.some((agent) => agent.name === name)) {
    await runtime.agents.create({ name, model, systemPrompt: judgePrompt() });
  }
  return inNewConversation(runtime, name, async (agent) => verdictOf((await agent.send(request)).text));
}

function judgeRequest({ question, answer }: Judged, given: string): string {
  return `Question: ${question}\nRight answer: ${answer}\nGiven answer: ${given}\nCORRECT or WRONG?`;
}

/** Returns whether the judge accepts the answer; null (not counted) unless the reply has exactly one of CORRECT and WRONG. */
export function verdictOf(reply: string): boolean | null {
  const says = (word: string): boolean => new RegExp(`\\b${word}\\b`, "iu").test(reply);
  if (says("CORRECT") === says("WRONG")) return null;
  return says("CORRECT");
}
