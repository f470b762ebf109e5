// Replaces the system prompt of an existing agent.
// Invariant: an invalid prompt, or one that fills the window, is refused before anything is written.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { counterOf, modelWithoutKey } from "./opening/agent-models.ts";
import { calibrationOf } from "./opening/calibration-of.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

/**
 * Throws RequestError `input_invalid` for a blank prompt or one that fills the window. Only the owner may change the
 * prompt.
 */
export async function setSystemPrompt(
  deps: Pick<OperationDeps, "store" | "models">,
  name: string,
  text: string,
): Promise<AgentRecord> {
  const agent = await findAgent(deps, name);
  const systemPrompt = storableText(text).trim();
  if (systemPrompt === "") throw refused("Expected a system prompt with some text in it, got a blank one.");
  const window = agent.settings.contextWindow ?? modelWithoutKey(deps, agent).contextWindow;
  const { scale } = await calibrationOf(deps, agent.model);
  const tokens = scale.reported(counterOf(deps, agent).count(systemPrompt));
  if (tokens >= window)
    throw refused(`Expected a system prompt of fewer than ${window} tokens (the context window), got ${tokens}.`);
  await deps.store.agents.update(agent.id, { systemPrompt });
  return { ...agent, systemPrompt };
}

function refused(message: string): RequestError {
  return new RequestError("input_invalid", `${message} Nothing was changed.`);
}
