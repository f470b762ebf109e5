// Operations on agents: creates, opens, changes, shares and deletes them.
// Invariant: invalid values are refused before anything is written. Open agents keep their name, model, settings and prompt
// until they are opened again. An agent's working memory is emptied when the user leaves the agent.
import { RequestError } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import type { AgentRecord, AgentSettings } from "../../store/port/records.ts";
import { deleteObjects } from "../operations/delete-objects.ts";
import { modelChangeOf } from "../operations/opening/agent-models.ts";
import { openAgent } from "../operations/opening/open-agent.ts";
import { openForTurn } from "../operations/opening/open-for-turn.ts";
import { openEphemeral } from "../operations/opening/open-ephemeral.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import type { TransferOperations } from "./agent-files.ts";
import { agentQuery, checkAgentName, checkedDetails, requireSettings } from "./agent-inputs.ts";
import type { AgentOperations, NamedAgentDetails } from "./contract.ts";
import { createAgentRecord } from "./create-agent-record.ts";
import { findAgent, findReadable, findNamed } from "./find-agent.ts";
import { freshMemory } from "../operations/opening/agent-tools.ts";
import { checkedSystemPrompt } from "./system-prompt.ts";
import { completeModules } from "../operations/opening/read-opening.ts";

/** Creates the operations on agents, except export and import. */
export function createAgentOperations(deps: OperationDeps): Omit<AgentOperations, keyof TransferOperations> {
  const { agents } = deps.store;
  return {
    list: async (options = {}) => agents.list(agentQuery(options)),
    count: () => agents.count(),
    tags: () => agents.tags(),
    find: (name) => findAgent(deps, name),
    create: (options) => createAgentRecord(deps, options),
    update: (name, settings) => updateAgentSettings(deps, name, settings),
    setSystemPrompt: (name, text) => setSystemPrompt(deps, name, text),
    setDetails: (name, details) => setAgentDetails(deps, name, details),
    setModel: (name, model, options = {}) => setAgentDetails(deps, name, { ...options, model }),
    open: (name, options = {}) =>
      options.ephemeral === true ? openEphemeral(deps, name, options) : openAgent(deps, name, options),
    openForTurn: (conversation, options) => openForTurn(deps, conversation, options),
    delete: async (name) => {
      const { id } = await findReadable(deps, name);
      await agents.delete(id);
      deps.memories.empty(id);
      await deleteObjects(deps);
    },
    ...createSharingOperations(deps),
  };
}

/**
 * Changes an agent's name, details and model in one write. Throws ConfigError for an invalid name and for a model that cannot be
 * used, RequestError `input_invalid` and `agent_exists`. Only the owner may change them.
 */
async function setAgentDetails(
  deps: Pick<OperationDeps, "store" | "defaults" | "models" | "checkSettings">,
  nameOrId: string,
  { name, model, baseUrl, ...details }: NamedAgentDetails,
): Promise<AgentRecord> {
  if (name !== undefined) checkAgentName(name);
  const described = { ...checkedDetails(details), ...given({ name }) };
  const { id } = await findAgent(deps, nameOrId);
  return deps.store.agents.update(id, (agent) => ({
    ...described,
    ...modelChangeOf(deps, agent, given({ model, baseUrl })),
  }));
}

/** Changes the given settings. Throws ConfigError for an unknown or invalid setting. Only the owner may change them. */
async function updateAgentSettings(
  deps: Pick<OperationDeps, "store" | "checkSettings" | "models">,
  name: string,
  change: Partial<AgentSettings>,
): Promise<AgentRecord> {
  const { id } = await findAgent(deps, name);
  return deps.store.agents.update(id, ({ model, settings }) => ({
    settings: requireSettings(deps, { ...settings, ...change }, model, settings),
  }));
}

/** Replaces the system prompt. Throws the errors of `checkedSystemPrompt`. Only the owner may replace it. */
async function setSystemPrompt(
  deps: Pick<OperationDeps, "store" | "models">,
  name: string,
  text: string,
): Promise<AgentRecord> {
  const agent = await findAgent(deps, name);
  const systemPrompt = await checkedSystemPrompt(deps, agent, text);
  return deps.store.agents.update(agent.id, () => ({ systemPrompt }));
}

type SharingOperations = Pick<
  AgentOperations,
  "share" | "unshare" | "recipients" | "offers" | "accept" | "decline" | "leave" | "former"
>;

type SharingDeps = Pick<OperationDeps, "store" | "memories" | "registry">;

function createSharingOperations(deps: SharingDeps): SharingOperations {
  const { agents, userId } = deps.store;
  return {
    share: async (name, otherId) => agents.share(await ownAgent(deps, name), otherId),
    unshare: async (name, otherId) => agents.unshare(await ownAgent(deps, name), otherId),
    recipients: async (name) => agents.recipients(await ownAgent(deps, name)),
    offers: () => agents.offers(),
    async accept(offer) {
      const id = await offeredAgent(deps, offer);
      await agents.accept(id);
      const agent = await findAgent(deps, id);
      await addOwnModules(deps, agent);
      return agent;
    },
    decline: async (offer) => agents.decline(await offeredAgent(deps, offer)),
    async leave(name) {
      const { id, ownerId } = await findAgent(deps, name);
      if (ownerId === userId)
        throw notShared(`You cannot leave "${name}", your own agent: \`runtime.agents.delete("${name}")\` deletes it.`);
      await agents.unshare(id, userId);
      deps.memories.empty(id);
    },
    former: () => agents.former(),
  };
}

/**
 * Creates the recipient's own modules (scope `user`), so that they can be edited before the first conversation. If the
 * memory class is not registered here, a program that registers it creates the modules when it edits or opens the agent.
 */
async function addOwnModules(deps: SharingDeps, agent: AgentRecord): Promise<void> {
  const isRegistered = deps.registry.classes.some(({ type }) => type === agent.memoryType);
  if (!isRegistered) return;
  const modules = await deps.store.modules.list(agent.id);
  await completeModules(deps, { agent, modules }, freshMemory(deps, agent));
}

async function ownAgent(deps: Pick<OperationDeps, "store">, name: string): Promise<string> {
  const { id, ownerId } = await findAgent(deps, name);
  if (ownerId === deps.store.userId) return id;
  throw notShared(`"${name}" is an agent of user "${ownerId}": only its owner can list or change its recipients.`);
}

function notShared(message: string): RequestError {
  return new RequestError("agent_not_found", message);
}

/** Returns the id of an offered or accepted agent; returns any other name unchanged, and the store refuses it. */
async function offeredAgent({ store }: Pick<OperationDeps, "store">, nameOrId: string): Promise<string> {
  const offers = (await store.agents.offers()).map(({ agentId: id, name }) => ({ id, name }));
  const offered = findNamed(offers, nameOrId) ?? (await store.agents.find(nameOrId));
  return offered?.id ?? nameOrId;
}
