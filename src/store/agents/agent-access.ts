// Checks a user's grant of an agent. With a grant in force, the user may use the agent; with an ended grant, only read data.
// Invariant: every store function that takes an agent's id checks the id here, or filters by the user's own rows.
import { RequestError } from "../../base/errors.ts";
import type { Transaction } from "../connection/transaction.ts";

interface GrantRow {
  readonly owner_id: string | null;
  readonly is_usable: boolean;
}

/** Returns the error for an agent that the user may not use, or may not change because another user owns it. */
export function agentNotFound(): RequestError {
  return new RequestError("agent_not_found", "There is no such agent for this user. List the agents, or create one.");
}

/** Returns the error for an agent that this user used before and may no longer use. */
export function grantEnded(): RequestError {
  return new RequestError(
    "grant_ended",
    "The agent is no longer shared with this user, so nothing was written. The user's data with the agent can still " +
      "be read and exported. `runtime.agents.former()` lists such agents.",
  );
}

/**
 * Returns the owner of an agent that the user may use. Throws RequestError `agent_not_found`, or `grant_ended` when the user
 * may only read.
 */
export async function requireAgent(tx: Transaction, userId: string, agentId: string): Promise<string> {
  const grant = await requireGrant(tx, userId, agentId);
  if (!grant.is_usable || grant.owner_id === null) throw grantEnded();
  return grant.owner_id;
}

/** Returns the user's grant of an agent, in force or ended. Throws RequestError `agent_not_found` if there is none. */
export async function requireGrant(tx: Transaction, userId: string, agentId: string): Promise<GrantRow> {
  const [grant] = await tx.run<GrantRow>(
    "select owner_id, is_usable from grants where user_id = $1 and agent_id = $2::uuid",
    [userId, agentId],
  );
  if (grant === undefined) throw agentNotFound();
  return grant;
}

/** Throws RequestError `agent_not_found` unless the user owns the agent. */
export async function requireOwnAgent(tx: Transaction, userId: string, agentId: string): Promise<void> {
  if ((await requireGrant(tx, userId, agentId)).owner_id !== userId) throw agentNotFound();
}
