// Changes the settings of an existing agent.
// Invariant: invalid settings are refused before anything is written, by the same rules as for a new agent.
import type { AgentRecord, AgentSettings } from "../../store/port/records.ts";
import { addressFor } from "./opening/agent-models.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Throws ConfigError for an unknown or invalid setting. Only the owner may change the settings. */
export async function updateAgentSettings(
  deps: Pick<OperationDeps, "store" | "checkSettings" | "models">,
  name: string,
  change: Partial<AgentSettings>,
): Promise<AgentRecord> {
  const agent = await findAgent(deps, name);
  const settings = requireSettings(deps, { ...agent.settings, ...change }, agent.model, agent.settings);
  await deps.store.agents.update(agent.id, { settings });
  return { ...agent, settings };
}

/**
 * Returns the settings with the summarizer's full name. Throws ConfigError for an unknown or invalid setting, or an
 * unknown summarizer. `before`: the settings that the agent has.
 */
export function requireSettings(
  { checkSettings, models }: Pick<OperationDeps, "checkSettings" | "models">,
  given: AgentSettings,
  model: string,
  before?: AgentSettings,
): AgentSettings {
  const settings = checkSettings(given, before);
  const { summarizer } = settings;
  if (summarizer === null) return settings;
  return { ...settings, summarizer: models.find(summarizer, addressFor({ model, settings }, summarizer)).name };
}
