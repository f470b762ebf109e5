// Gives an agent that is imported a model, a prompt and settings that can be used here.
// Invariant: what only the writer of a file could vouch for is not taken: the address of a server, and fewer approvals.
import { ConfigError } from "../../../base/errors.ts";
import type { AgentSettings } from "../../../store/port/records.ts";
import type { TransferredAgent } from "../../../store/port/transfer-store.ts";
import { defaultSystemPrompt } from "../../../context/prompts/load-prompt.ts";
import { checkedDetails } from "../agent-inputs.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { addressOrNull } from "../opening/agent-models.ts";
import { requireSettings } from "../update-agent-settings.ts";

type PrepareDeps = Pick<OperationDeps, "registry" | "defaults" | "checkSettings" | "models">;

export interface Preparation {
  /** The model that the caller wants. */
  readonly model: string | undefined;
  /** What its model may be called here, the most exact name first. */
  readonly models: readonly string[];
  /** Whether its settings are taken as they are. */
  readonly isTrusted: boolean;
  /** Gets a sentence if the agent has another model here. */
  readonly notes: string[];
}

/** Throws ConfigError, RequestError `input_invalid` and DefinitionError. */
export function preparedAgent(
  deps: PrepareDeps,
  agent: TransferredAgent,
  { model: given, models, isTrusted, notes }: Preparation,
): TransferredAgent {
  deps.registry.classOf(agent.memoryType);
  checkedDetails(agent);
  const wanted = given === undefined ? models : [];
  const model = usableModel(deps, wanted) ?? deps.models.find(given ?? deps.defaults.model, null).name;
  if (given === undefined && !wanted.includes(model)) {
    notes.push(`agent "${agent.name}": its model is not available here, so it uses ${model}.`);
  }
  const settings = settingsFor(deps, { ...agent, model }, isTrusted);
  const systemPrompt = agent.systemPrompt.trim() === "" ? defaultSystemPrompt(agent.protocol) : agent.systemPrompt;
  return { ...agent, model, systemPrompt, settings };
}

function usableModel({ models, defaults }: PrepareDeps, names: readonly string[]): string | undefined {
  return names.find((name) => {
    try {
      models.find(name, addressOrNull(name, defaults.settings.baseUrl));
      return true;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  });
}

/**
 * Of a file by somebody else, the address of a server is not taken: the user's messages and key would be sent there. Nor does such
 * a file take approvals away.
 */
function settingsFor(deps: PrepareDeps, agent: TransferredAgent, isTrusted: boolean): AgentSettings {
  const { settings: usual } = deps.defaults;
  const given: Partial<AgentSettings> = agent.settings;
  const baseUrl = addressOrNull(agent.model, (isTrusted ? given.baseUrl : undefined) ?? usual.baseUrl);
  const approvals = isTrusted ? {} : { approvals: [...new Set([...usual.approvals, ...(given.approvals ?? [])])] };
  return requireSettings(deps, { ...usual, ...given, ...approvals, baseUrl }, agent.model);
}
