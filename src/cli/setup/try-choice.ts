// Tests a choice, and asks whether to try again after a failure.
import { ModelAuthError, RuntimeError } from "../../errors.ts";
import type { ModelChoice } from "../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import type { Questions } from "./questions.ts";

/** Tests a choice with one call. `refused`: its key is missing or was rejected. `back`: it failed and the user goes back. */
export async function tryChoice(
  { questions, setup }: Dialogue,
  choice: ModelChoice,
): Promise<"answers" | "refused" | "back"> {
  let outcome: "answers" | "refused" | "back" = "back";
  await repeatable(questions, async (signal) => {
    if (choice.model !== "demo") questions.say(`Testing ${choice.model} with one word …`);
    try {
      await setup.test(choice, signal);
    } catch (error) {
      outcome = error instanceof ModelAuthError ? "refused" : "back";
      throw error;
    }
    outcome = "answers";
    if (choice.model !== "demo") questions.say("The model answers.");
  });
  return outcome;
}

/** Returns the result of the work; null if Esc stops it, or if it fails with a RuntimeError and the user does not try again. */
export async function repeatable<Result>(
  questions: Questions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  for (;;) {
    try {
      const result = await questions.stoppable(work);
      if (result !== "stopped") return result;
      questions.say("Stopped.");
      return null;
    } catch (error) {
      questions.signal.throwIfAborted();
      if (!(error instanceof RuntimeError)) throw error;
      questions.say(`That did not work. ${error.message}`);
      // The key would be rejected again.
      if (error instanceof ModelAuthError) return null;
    }
    if (!(await wantsAgain(questions))) return null;
  }
}

/** Only `a` tries again: Enter goes back, as in all questions here, and other text must not call a model again. */
async function wantsAgain(questions: Questions): Promise<boolean> {
  for (;;) {
    const answer = await questions.ask("a tries again, Enter goes back: ");
    if (answer === "" || isBack(answer)) return false;
    if (/^a(?:gain)?$/iu.test(answer)) return true;
    questions.say("Expected a, or Enter.");
  }
}

export function isBack(answer: string): boolean {
  return /^(?:b|back)$/iu.test(answer);
}
