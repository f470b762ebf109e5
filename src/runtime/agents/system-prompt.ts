// Checks the system prompt of an agent when the agent is created, changed or imported.
// Invariant: a stored prompt is at most as long as a message, because each list of agents contains the prompts.
import { codePointLength, storableText } from "../../base/code-points.ts";
import { inputInvalid, type RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { counterOf, modelWithoutKey } from "../operations/opening/agent-models.ts";
import { calibrationOf } from "../operations/opening/calibration-of.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

/** Maximum code points of a system prompt: the same as for a message. */
const maxLength = 1_000_000;

/**
 * Returns the prompt as it is stored. Throws RequestError `input_invalid` for a blank prompt, one of more than 1,000,000
 * characters, and one that fills the window.
 */
export async function checkedSystemPrompt(
  deps: Pick<OperationDeps, "store" | "models">,
  agent: Pick<AgentRecord, "model" | "settings">,
  text: string,
): Promise<string> {
  const systemPrompt = storableText(text).trim();
  if (systemPrompt === "") throw refused("Expected a system prompt with some text in it, got a blank one.");
  requirePromptLength(systemPrompt);
  const window = agent.settings.contextWindow ?? modelWithoutKey(deps, agent).contextWindow;
  const { scale } = await calibrationOf(deps, agent.model);
  const tokens = scale.reported(counterOf(deps, agent).count(systemPrompt));
  if (tokens >= window)
    throw refused(`Expected a system prompt of fewer than ${window} tokens (the context window), got ${tokens}.`);
  return systemPrompt;
}

/** Throws RequestError `input_invalid` for a prompt of more than 1,000,000 characters. */
export function requirePromptLength(systemPrompt: string): void {
  const length = codePointLength(systemPrompt);
  if (length > maxLength)
    throw refused(`Expected a system prompt of at most 1,000,000 characters, got ${length.toLocaleString("en-US")}.`);
}

function refused(message: string): RequestError {
  return inputInvalid(`${message} Nothing was changed.`);
}
