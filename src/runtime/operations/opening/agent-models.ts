// Finds the models of an agent, each with the address of its server.
// Invariant: the server address in an agent's settings is used only for the provider of the agent's own model, and only the
// user changes the address.
import type { TurnModels } from "../../../agent/turn.ts";
import { providerIdOf } from "../../../config/settings/key-settings.ts";
import { ConfigError } from "../../../base/errors.ts";
import { type Model, withRequestSettings } from "../../../model/llm/model.ts";
import { withWrittenCalls } from "../../../model/llm/written/written-call-model.ts";
import type { AgentChange } from "../../../store/port/agent-store.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import type { CreateAgentOptions, OpenAgentOptions } from "../../agents/contract.ts";
import type { TokenCounter } from "../../../model/tokens/token-counter.ts";
import type { AgentModels, OperationDeps } from "../operation-deps.ts";

type ModelDeps = Pick<OperationDeps, "defaults"> & {
  readonly models: Pick<AgentModels, "resolve">;
  readonly store: { readonly userId: string };
};

/** Returns the agent's model, which answers the user. Throws ConfigError if it cannot be used. */
export function modelOf(deps: ModelDeps, agent: AgentRecord): Model {
  return resolveFor(deps, agent, agent.model);
}

/** Returns the agent's model for uses without model calls, which need no key. */
export function modelWithoutKey(
  { models }: Pick<OperationDeps, "models">,
  agent: Pick<AgentRecord, "model" | "settings">,
): Model {
  return models.find(agent.model, agent.settings.baseUrl);
}

/** Returns the model that writes summaries: the agent's model, unless the setting `summarizer` names another. */
export function summarizerOf(deps: ModelDeps, agent: AgentRecord): Model {
  return resolveFor(deps, agent, agent.settings.summarizer ?? agent.model);
}

/**
 * Returns a model with the agent's address and settings. For a shared agent, throws ConfigError if its owner has set an
 * address, because the owner must not decide where another user's messages and key are sent.
 */
function resolveFor({ models, store, defaults }: ModelDeps, agent: AgentRecord, name: string): Model {
  const baseUrl = addressFor(agent, name);
  if (baseUrl !== null && agent.ownerId !== store.userId && baseUrl !== defaults.settings.baseUrl) {
    throw new ConfigError(
      `"${agent.name}" belongs to ${agent.ownerId} and uses the server ${baseUrl}: your messages and your key would be sent there. Set \`baseUrl\` to that address to allow it, or use an agent of your own.`,
    );
  }
  return withRequestSettings(models.resolve(name, baseUrl), agent.settings);
}

/** Returns the token counter of the agent's model, or of another model that the agent uses. */
export function counterOf(
  deps: Pick<OperationDeps, "models">,
  agent: Pick<AgentRecord, "model" | "settings">,
  name: string = agent.model,
): TokenCounter {
  return deps.models.counterFor(name, addressFor(agent, name));
}
type ModelChange = Pick<OpenAgentOptions, "model" | "baseUrl">;

/**
 * Returns the agent with another model or address, or the same object if neither changes. Throws ConfigError for a
 * model that cannot be used.
 */
export function withModel(
  deps: Pick<OperationDeps, "defaults" | "checkSettings" | "models">,
  agent: AgentRecord,
  change: ModelChange,
): AgentRecord {
  const { model: name, baseUrl: address } = change;
  if ((name === undefined || name === agent.model) && address === undefined) return agent;
  const wanted = name ?? agent.model;
  const kept =
    providerIdOf(wanted) === providerIdOf(agent.model) ? agent.settings.baseUrl : deps.defaults.settings.baseUrl;
  const given = addressOrNull(wanted, address === undefined ? kept : address);
  const chosen = name === agent.model ? undefined : name;
  const settings = deps.checkSettings({ ...agent.settings, baseUrl: given }, agent.settings, chosen);
  const { baseUrl } = settings;
  // Stores the model's full name, because the relative path of a model file means another file in another working folder.
  const model = deps.models.resolve(wanted, baseUrl).name;
  const isSame = model === agent.model && baseUrl === agent.settings.baseUrl;
  return isSame ? agent : { ...agent, model, settings };
}

/** Returns the change that `withModel` makes; empty if the agent keeps its model and address. Throws the same error. */
export function modelChangeOf(
  deps: Pick<OperationDeps, "defaults" | "checkSettings" | "models">,
  agent: AgentRecord,
  change: ModelChange,
): AgentChange {
  const changed = withModel(deps, agent, change);
  return changed === agent ? {} : { model: changed.model, settings: changed.settings };
}

/** Returns the models for an open agent. Throws ConfigError for a model that cannot be used, unless `withoutCalls` is set. */
export function modelsOf(
  deps: Pick<OperationDeps, "store" | "defaults" | "models" | "tools" | "ids">,
  agent: AgentRecord,
  { withoutCalls = false }: Pick<OpenAgentOptions, "withoutCalls">,
): Pick<TurnModels, "answering" | "summarizer"> {
  if (!withoutCalls) {
    const model = modelOf(deps, agent);
    const { name, description, parameters } = deps.tools.remember;
    const known = [{ name, description, parameters: parameters.jsonSchema }];
    const answering = agent.settings.assist === "on" ? withWrittenCalls(model, deps.ids, known) : model;
    return { answering, summarizer: summarizerOf(deps, agent) };
  }
  const model = modelWithoutKey(deps, agent);
  return { answering: model, summarizer: model };
}

/** Throws ConfigError if the model of a new agent cannot be used. */
export function requireModel(
  { models, defaults }: Pick<OperationDeps, "defaults" | "models">,
  options: Pick<CreateAgentOptions, "model" | "settings">,
): void {
  const name = options.model ?? defaults.model;
  const address = options.settings?.baseUrl;
  models.resolve(name, addressOrNull(name, address === undefined ? defaults.settings.baseUrl : address));
}

/** Returns the address for a model; null for a model without a server, which runs on this machine or belongs to the program. */
export function addressOrNull(model: string, baseUrl: string | null): string | null {
  return providerIdOf(model) === null ? null : baseUrl;
}

/** Returns the agent's address for a model of its provider; null for other models, which use their own provider's address. */
export function addressFor(agent: Pick<AgentRecord, "model" | "settings">, name: string): string | null {
  return providerIdOf(name) === providerIdOf(agent.model) ? agent.settings.baseUrl : null;
}

/** Loads the tokenizer before any transaction of this agent begins, because loading it blocks the event loop. */
export function preparedCounter(deps: Pick<OperationDeps, "models">, agent: AgentRecord): TokenCounter {
  const counter = counterOf(deps, agent);
  counter.prepare();
  return counter;
}
