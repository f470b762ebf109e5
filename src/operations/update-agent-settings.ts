// Changes the settings of an agent that exists.
// Invariant: what is wrong is said before anything is written, by the rules by which agents are made.
import type { AgentRecord, AgentSettings } from "../memory/records.ts";
import { addressFor } from "./opening/agent-models.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Throws ConfigError for a setting that is unknown or wrong; only the owner of an agent may change it. */
export async function updateAgentSettings(
  deps: Pick<OperationDeps, "store" | "checkSettings" | "models">,
  name: string,
  change: Partial<AgentSettings>,
): Promise<AgentRecord> {
  const agent = await findAgent(deps, name);
  const settings = requireSettings(deps, { ...agent.settings, ...change }, agent.model);
  await deps.store.agents.update(agent.id, { settings });
  return { ...agent, settings };
}

/** The settings, the summarizer by its full name. Throws ConfigError for one that is unknown or wrong, or a summarizer that is not to be had. */
export function requireSettings(
  { checkSettings, models }: Pick<OperationDeps, "checkSettings" | "models">,
  settings: AgentSettings,
  model: string,
): AgentSettings {
  checkSettings(settings);
  const { summarizer } = settings;
  if (summarizer === null) return settings;
  return { ...settings, summarizer: models.find(summarizer, addressFor({ model, settings }, summarizer)).name };
}
