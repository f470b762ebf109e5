// Describes the test of a model: whether it calls tools, and whether an agent's prompt fits into its window.
// Invariant: pure.
import type { ModelTrial } from "../../../runtime/setup.ts";
import { numberText, windowSourceText } from "../../../base/window-words.ts";

/** Whether a conversation with the model works. */
export function isUsable({ fits, callsTools }: ModelTrial): boolean {
  return fits !== "not" && callsTools;
}

/** Returns what the test has found, with advice on everything that is less than good. */
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
