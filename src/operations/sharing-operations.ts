// Shares agents with other users: the operations of the owner and of the recipient.
// Invariant: an agent's working memory is emptied when the user leaves the agent.
import { RequestError } from "../errors.ts";
import type { AgentOperations } from "../runtime/agents.ts";
import { findAgent, findNamed } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

type SharingOperations = Pick<
  AgentOperations,
  "share" | "unshare" | "recipients" | "offers" | "accept" | "decline" | "leave" | "former"
>;

export function createSharingOperations(deps: Pick<OperationDeps, "store" | "memories">): SharingOperations {
  const { agents, userId } = deps.store;
  return {
    share: async (name, otherId) => agents.share(await ownAgent(deps, name), otherId),
    unshare: async (name, otherId) => agents.unshare(await ownAgent(deps, name), otherId),
    recipients: async (name) => agents.recipients(await ownAgent(deps, name)),
    offers: () => agents.offers(),
    async accept(offer) {
      const id = await offeredAgent(deps, offer);
      await agents.accept(id);
      return findAgent(deps, id);
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
