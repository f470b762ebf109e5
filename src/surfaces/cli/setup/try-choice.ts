// Tests the chosen model, describes the result, and asks whether to try again after a failure.
import { ModelAuthError, RuntimeError } from "../../../base/errors.ts";
import { numberText, windowSourceText } from "../../../base/window-words.ts";
import type { ModelChoice, ModelTrial } from "../../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import type { Questions } from "./questions.ts";

/**
 * Tests a choice as agents use it. Returns the choice, with `assist` if the user chose the short prompt; `refused` if
 * the key is missing or was rejected; `back` if the test failed or the user does not want the choice.
 */
export async function tryChoice(dialogue: Dialogue, choice: ModelChoice): Promise<ModelChoice | "refused" | "back"> {
  const { questions, setup } = dialogue;
  let isRefused = false;
  const trial = await repeatable(questions, async (signal) => {
    const prompt = choice.assist === "on" ? "the short prompt" : "the prompt";
    questions.say(`Testing ${choice.model} with ${prompt} and the tools of an agent …`);
    return setup.test(choice, signal).catch((error: unknown) => {
      isRefused = error instanceof ModelAuthError;
      throw error;
    });
  });
  if (trial === null) return isRefused ? "refused" : "back";
  questions.say(trialText(trial));
  if (isUsable(trial) && trial.fits === "well") return choice;
  const answer = await askAboutTrial(questions, { canSave: isUsable(trial), canShorten: choice.assist === undefined });
  if (answer === "short") return tryChoice(dialogue, { ...choice, assist: "on" });
  return answer === "save" ? choice : "back";
}

async function askAboutTrial(
  questions: Questions,
  { canSave, canShorten }: { readonly canSave: boolean; readonly canShorten: boolean },
): Promise<"short" | "save" | "back"> {
  const ways = [
    ...(canShorten ? ["s tries the short prompt for small models (--assist on)"] : []),
    ...(canSave ? ["y saves it as it is"] : []),
    "Enter goes back",
  ];
  for (;;) {
    const answer = (await questions.ask(`${ways.join(", ")}: `)).toLowerCase();
    if (answer === "" || isBack(answer)) return "back";
    if (answer === "s" && canShorten) return "short";
    if (answer === "y" && canSave) return "save";
    questions.say("Expected one of these letters, or Enter.");
  }
}

/** Runs work until it succeeds. Returns its result; null if Esc stops the work or the user does not repeat it. */
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
      // Another attempt would fail, too, because the server would reject the key again.
      if (error instanceof ModelAuthError) return null;
    }
    if (!(await wantsAgain(questions))) return null;
  }
}

/** Returns whether the user types `a` to try again. Enter goes back, as in all questions; other text must not call a model. */
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

/** Whether the model can hold a conversation as an agent: it calls tools, and the window has room. */
export function isUsable({ fits, callsTools }: ModelTrial): boolean {
  return fits !== "not" && callsTools;
}

/** Returns the result of the test in sentences, with advice for each problem. */
export function trialText(trial: ModelTrial): string {
  const { window, windowFrom, promptTokens, neededTokens, fits, callsTools, advice } = trial;
  const source = windowSourceText(windowFrom);
  const size = `${numberText(window)} tokens${source === "" ? "" : ` (${source})`}`;
  if (fits === "not") {
    return `The prompt and the tools of an agent take ${numberText(promptTokens)} tokens, which leaves no room for a conversation in a window of ${size}. ${advice}`;
  }
  if (!callsTools) {
    return "The model answered, but called no tool when it was asked to. Agents remember by tools: with this model, they would remember nothing. Choose a model that can call tools.";
  }
  if (fits === "well") return `The model answers and calls tools. Its window has ${size}.`;
  return `The model answers and calls tools. Its window of ${size} is smaller than the ${numberText(neededTokens)} that the prompt, the tools, a full core memory and a few turns need: the conversation is summarized early, and a full core memory leaves no room for it. ${advice}`;
}
