// Decides by a user's grants which agents the user may use, and whose data the user may still read.
// Invariant: every store function that takes an agent's id checks it here or filters by the user's own rows.
import { RequestError } from "../../base/errors.ts";
import type { Transaction } from "../connection/transaction.ts";

interface GrantRow {
  readonly owner_id: string | null;
  readonly is_usable: boolean;
}

/** The error for an agent that this user may not use, or not in this way. */
export function agentNotFound(): RequestError {
  return new RequestError("agent_not_found", "There is no such agent for this user. List the agents, or create one.");
}

/** The error for an agent that this user used before and may no longer use. */
export function grantEnded(): RequestError {
  return new RequestError(
    "grant_ended",
    "The agent is no longer shared with this user, so nothing was written. The user's data with it can still be read " +
      "and exported: `runtime.agents.former()` has its name.",
  );
}

/** Throws RequestError `agent_not_found`, or `grant_ended` when the user may only read; returns the agent's owner. */
export async function requireAgent(tx: Transaction, userId: string, agentId: string): Promise<string> {
  const grant = await requireGrant(tx, userId, agentId);
  if (!grant.is_usable || grant.owner_id === null) throw grantEnded();
  return grant.owner_id;
}

/** Throws RequestError `agent_not_found` unless the user may use the agent, or has used it before. */
export async function requireGrant(tx: Transaction, userId: string, agentId: string): Promise<GrantRow> {
  const [grant] = await tx.run<GrantRow>(
    "select owner_id, is_usable from grants where user_id = $1 and agent_id = $2::uuid",
    [userId, agentId],
  );
  if (grant === undefined) throw agentNotFound();
  return grant;
}

/** Throws unless the user owns the agent. */
export async function requireOwnAgent(tx: Transaction, userId: string, agentId: string): Promise<void> {
  if ((await requireGrant(tx, userId, agentId)).owner_id !== userId) throw agentNotFound();
}
