// Checks of what a path names.
// Invariant: what another user has is reported exactly as what does not exist.
import type { ErrorCode } from "../../errors.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { Agent } from "../../agent/agent.ts";
import { Fault } from "../fault.ts";

/** Throws Fault with the status 404 unless something was deleted. */
export function deleted(isDeleted: boolean, code: ErrorCode, what: string): null {
  if (isDeleted) return null;
  throw new Fault(404, code, `There is no ${what} with that id.`);
}

export interface ConversationPath {
  readonly agent: string;
  readonly conversation: string;
}

/**
 * Opens an agent in one of its conversations. Throws RequestError `agent_not_found` and `conversation_not_found`, the latter
 * also for a conversation of another agent.
 */
export function openIn(
  runtime: UserRuntime,
  { agent, conversation }: ConversationPath,
  options: { readonly withoutCalls?: boolean } = {},
): Promise<Agent> {
  return runtime.agents.open(agent, { conversation: { id: conversation }, ...options });
}
