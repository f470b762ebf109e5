// Changes what an agent is called, what describes it, and its model, without opening it.
// Invariant: invalid values are refused before anything is written. Open agents keep theirs until they are opened again.
import type { AgentRecord } from "../../store/port/records.ts";
import type { AgentChange } from "../../store/port/agent-store.ts";
import type { NamedAgentDetails } from "../agents.ts";
import { checkAgentName, checkedDetails } from "./agent-inputs.ts";
import { findAgent } from "./find-agent.ts";
import { withModel } from "./opening/agent-models.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Throws ConfigError for an invalid name, RequestError `input_invalid` and `agent_exists`. Only the owner can. */
export async function setAgentDetails(
  deps: Pick<OperationDeps, "store">,
  nameOrId: string,
  { name, ...given }: NamedAgentDetails,
): Promise<AgentRecord> {
  if (name !== undefined) checkAgentName(name);
  const change: AgentChange = { ...checkedDetails(given), ...(name === undefined ? {} : { name }) };
  const { id } = await findAgent(deps, nameOrId);
  await deps.store.agents.update(id, change);
  return findAgent(deps, id);
}

/** Throws ConfigError for a model that cannot be used. Only the owner can. */
export async function setAgentModel(
  deps: Pick<OperationDeps, "store" | "defaults" | "models" | "checkSettings">,
  nameOrId: string,
  change: { readonly model: string; readonly baseUrl?: string | null },
): Promise<AgentRecord> {
  const agent = await findAgent(deps, nameOrId);
  const { model, settings } = withModel(deps, agent, change);
  await deps.store.agents.update(agent.id, { model, settings });
  return { ...agent, model, settings };
}
