// Sharing agents with other users, from the owner's side and from the recipient's.
// Invariant: working memory and open archives of an agent go when the user may not use it any more.
import { RequestError } from "../errors.ts";
import type { AgentOperations } from "../runtime/agents.ts";
import { findAgent, namedAs } from "./find-agent.ts";
import type { OperationParts } from "./operation-parts.ts";
import { emptyWorking } from "./opening/working-memories.ts";

type SharingOperations = Pick<
  AgentOperations,
  "share" | "unshare" | "recipients" | "offers" | "accept" | "decline" | "leave" | "former"
>;

export function createSharingOperations(parts: OperationParts): SharingOperations {
  const { agents, userId } = parts.store;
  return {
    share: async (name, otherId) => agents.share(await ownAgent(parts, name), otherId),
    unshare: async (name, otherId) => agents.unshare(await ownAgent(parts, name), otherId),
    recipients: async (name) => agents.recipients(await ownAgent(parts, name)),
    offers: () => agents.offers(),
    async accept(offer) {
      const id = await offeredAgent(parts, offer);
      await agents.accept(id);
      return findAgent(parts, id);
    },
    decline: async (offer) => agents.decline(await offeredAgent(parts, offer)),
    async leave(name) {
      const { id, ownerId } = await findAgent(parts, name);
      if (ownerId === userId) throw notShared(`"${name}" is your own agent: \`palimpsest agents remove\` deletes it.`);
      await agents.unshare(id, userId);
      emptyWorking(parts, id);
    },
    former: () => agents.former(),
  };
}

async function ownAgent(parts: OperationParts, name: string): Promise<string> {
  const { id, ownerId } = await findAgent(parts, name);
  if (ownerId === parts.store.userId) return id;
  throw notShared(`"${name}" belongs to "${ownerId}", who alone can share it.`);
}

function notShared(message: string): RequestError {
  return new RequestError("agent_not_found", `Expected an agent for which this can be done. ${message}`);
}

/** The id of an agent that is offered, or was accepted; any other name as it is given, which the store refuses. */
async function offeredAgent({ store }: OperationParts, nameOrId: string): Promise<string> {
  const offers = (await store.agents.offers()).map(({ agentId: id, name }) => ({ id, name }));
  const offered = namedAs(offers, nameOrId) ?? (await store.agents.find(nameOrId));
  return offered?.id ?? nameOrId;
}
