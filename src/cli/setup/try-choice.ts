// Tries what was chosen, and asks whether to try again when it does not work.
import { ModelAuthError, RuntimeError } from "../../errors.ts";
import type { ModelChoice } from "../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import type { Questions } from "./questions.ts";

/** `refused`: for its key, or for the want of one. `back`: it does not work, and the person would rather go back. */
export async function tryChoice(
  { questions, setup }: Dialogue,
  choice: ModelChoice,
): Promise<"answers" | "refused" | "back"> {
  let outcome: "answers" | "refused" | "back" = "back";
  await repeatable(questions, async () => {
    if (choice.model !== "demo") questions.say(`Trying ${choice.model} with one word …`);
    try {
      await setup.test(choice, questions.signal);
    } catch (error) {
      outcome = error instanceof ModelAuthError ? "refused" : "back";
      throw error;
    }
    outcome = "answers";
    if (choice.model !== "demo") questions.say("It answers.");
  });
  return outcome;
}

/** What the work gives; null when it fails with an error of ours and the person does not want it tried again. */
export async function repeatable<Result>(questions: Questions, work: () => Promise<Result>): Promise<Result | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      questions.signal.throwIfAborted();
      if (!(error instanceof RuntimeError)) throw error;
      questions.say(`That did not work. ${error.message}`);
      // The same key would be refused again.
      if (error instanceof ModelAuthError) return null;
    }
    if (!(await wantsAgain(questions))) return null;
  }
}

/** Going back is what Enter does everywhere here, and what is typed for something else must not call a model again. */
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
