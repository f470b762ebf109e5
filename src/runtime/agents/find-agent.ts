// Finds the agent of an operation: one that the user may use or, for reading, one that the user has used.
// Invariant: no new agent is named `owner/name`, or like an agent that the user may only read.
import { nearestName } from "../../base/nearest-name.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { ReadableAgent } from "../operations/agent-memories.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type NamedAgent = Pick<ReadableAgent, "id" | "name">;

/**
 * Returns an agent that the user may use. Throws RequestError `agent_not_found`, whose message suggests the most similar
 * name if there is one, or `grant_ended`.
 */
export async function findAgent({ store }: Pick<OperationDeps, "store">, nameOrId: string): Promise<AgentRecord> {
  const found = await store.agents.find(nameOrId);
  if (found !== null) return found;
  throw await missingAgent({ store }, nameOrId);
}

/** Returns an agent that the user may use or has used. Throws RequestError `agent_not_found`. */
export async function findReadable(
  { store, defaults }: Pick<OperationDeps, "store" | "defaults">,
  nameOrId: string,
): Promise<ReadableAgent> {
  const found = await store.agents.find(nameOrId);
  if (found !== null) return found;
  const former = findNamed(await store.agents.former(), nameOrId);
  if (former === undefined) throw await missingAgent({ store }, nameOrId);
  const { id, name, timeZone } = former;
  return { id, name, settings: { timeZone, searchWeights: defaults.settings.searchWeights } };
}

/** Throws the errors of `findAgent` for a new name that is `owner/name`, or that names an agent the user may only read. */
export async function requireNewName({ store }: Pick<OperationDeps, "store">, name: string): Promise<void> {
  if (name.includes("/") || findNamed(await store.agents.former(), name) !== undefined) {
    throw await missingAgent({ store }, name);
  }
}

export function findNamed<Item extends NamedAgent>(items: readonly Item[], nameOrId: string): Item | undefined {
  return items.find(({ id, name }) => id === nameOrId || name === nameOrId);
}

/** The advice that `missingAgent` adds when a program opens an unknown agent. */
export const createAdvice = " `runtime.agents.open(name, { create: {} })` creates one.";

/**
 * Returns the error for an agent that the user may not use: `grant_ended` if the agent was shared with the user before,
 * otherwise `agent_not_found`. The message for an unknown agent ends with `advice`.
 */
export async function missingAgent(
  { store: { agents } }: Pick<OperationDeps, "store">,
  nameOrId: string,
  advice = "",
): Promise<RequestError> {
  const former = findNamed(await agents.former(), nameOrId);
  if (former !== undefined) {
    return new RequestError(
      "grant_ended",
      `The agent "${former.name}" is not shared with you any more. You can still read your conversations: ` +
        `\`runtime.conversations.list("${former.name}")\` lists them.`,
    );
  }
  const offers = (await agents.offers()).map(({ agentId: id, name }) => ({ id, name }));
  const offer = findNamed(offers, nameOrId);
  if (offer !== undefined) {
    return new RequestError(
      "agent_not_found",
      `The agent "${offer.name}" is offered to you, but not accepted yet. \`runtime.agents.accept("${offer.name}")\` accepts the offer.`,
    );
  }
  const nearest = nearestName(nameOrId, await agents.names());
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return new RequestError(
    "agent_not_found",
    `There is no agent "${nameOrId}".${hint} \`runtime.agents.list()\` lists your agents.${advice}`,
  );
}
