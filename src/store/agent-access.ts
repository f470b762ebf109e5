// Which agents a user may use: the user's own, and those that their owners have granted.
// Invariant: every store function that takes an agent's id asks here or filters by the user's own rows.
import { and, eq, exists, or, type SQL } from "drizzle-orm";
import { RequestError } from "../errors.ts";
import { agents, grants } from "./schema.ts";
import type { Transaction } from "./transaction.ts";
import { isUuid } from "./uuid.ts";

/** The condition on `agents` for what this user may use. */
export function usableBy(tx: Transaction, userId: string): SQL | undefined {
  const granted = tx.tables
    .select({ agentId: grants.agentId })
    .from(grants)
    .where(and(eq(grants.userId, userId), eq(grants.agentId, agents.id)));
  return or(eq(agents.userId, userId), exists(granted));
}

/** The error for an agent that this user may not use, or not do this with. */
export function agentNotFound(): RequestError {
  return new RequestError("agent_not_found", "There is no such agent for this user. List the agents, or create one.");
}

/** Throws when the user may not use the agent; returns its owner. */
export async function requireAgent(tx: Transaction, userId: string, agentId: string): Promise<string> {
  if (!isUuid(agentId)) throw agentNotFound();
  const [agent] = await tx.tables
    .select({ ownerId: agents.userId })
    .from(agents)
    .where(and(eq(agents.id, agentId), usableBy(tx, userId)));
  if (agent === undefined) throw agentNotFound();
  return agent.ownerId;
}

/** Throws unless the user owns the agent. */
export async function requireOwnAgent(tx: Transaction, userId: string, agentId: string): Promise<void> {
  if ((await requireAgent(tx, userId, agentId)) !== userId) throw agentNotFound();
}
