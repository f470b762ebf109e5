// Shares agents with other users: the operations of the owner and of the recipient.
// Invariant: an agent's working memory is emptied when the user leaves the agent.
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { AgentOperations } from "../agents.ts";
import { findAgent, findNamed } from "./find-agent.ts";
import { freshMemory } from "./opening/agent-tools.ts";
import { completeModules } from "./opening/read-opening.ts";
import type { OperationDeps } from "./operation-deps.ts";

type SharingOperations = Pick<
  AgentOperations,
  "share" | "unshare" | "recipients" | "offers" | "accept" | "decline" | "leave" | "former"
>;

type SharingDeps = Pick<OperationDeps, "store" | "memories" | "registry">;

export function createSharingOperations(deps: SharingDeps): SharingOperations {
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
        throw notShared(`"${name}" is your own agent: \`runtime.agents.delete("${name}")\` deletes it.`);
      await agents.unshare(id, userId);
      deps.memories.empty(id);
    },
    former: () => agents.former(),
  };
}

/**
 * Gives the recipient the modules that each user has, so that they can be edited before the first conversation. An agent of an
 * unregistered class gets them when a program with the class edits or opens it.
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
  throw notShared(`"${name}" belongs to "${ownerId}"; only its owner can share it.`);
}

function notShared(message: string): RequestError {
  return new RequestError("agent_not_found", `Expected an agent that allows this. ${message}`);
}

/**
 * Returns the id of an agent that is offered or was accepted; any other name unchanged, which the store then refuses.
 */
async function offeredAgent({ store }: Pick<OperationDeps, "store">, nameOrId: string): Promise<string> {
  const offers = (await store.agents.offers()).map(({ agentId: id, name }) => ({ id, name }));
  const offered = findNamed(offers, nameOrId) ?? (await store.agents.find(nameOrId));
  return offered?.id ?? nameOrId;
}
