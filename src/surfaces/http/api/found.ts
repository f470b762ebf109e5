// Finds the conversation that a path names, and opens its agent.
// Invariant: an agent or a conversation of another user is reported exactly like one that does not exist.
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Agent } from "../../../agent/agent.ts";
import { RequestError } from "../../../base/errors.ts";
import { Fault } from "../fault.ts";

export interface ConversationPath {
  readonly agent: string;
  readonly conversation: string;
}

/**
 * Returns the conversation of a path without opening it, because opening reads the whole window. Throws the same errors as
 * `openIn`.
 */
export async function conversationIn(
  { agents, conversations }: Pick<UserRuntime, "agents" | "conversations">,
  { agent, conversation }: ConversationPath,
): Promise<Awaited<ReturnType<UserRuntime["conversations"]["find"]>>> {
  const found = await conversations.find(conversation);
  if (found.agentId === agent || found.agentId === (await readableId(agents, agent))) return found;
  throw new Fault(404, "conversation_not_found", "The agent has no conversation with that id.");
}

/** Returns the id of the agent with this name, also of an agent that the user may only read. */
async function readableId(agents: UserRuntime["agents"], named: string): Promise<string | undefined> {
  try {
    return (await agents.find(named)).id;
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "grant_ended")) throw error;
    return (await agents.former()).find(({ name }) => name === named)?.id;
  }
}

/**
 * Opens an agent in one of its conversations. Throws RequestError `agent_not_found`, and `conversation_not_found` for a
 * conversation that does not exist or belongs to another agent.
 */
export function openIn(
  runtime: UserRuntime,
  { agent, conversation }: ConversationPath,
  options: { readonly withoutCalls?: boolean; readonly forReading?: boolean } = {},
): Promise<Agent> {
  return runtime.agents.open(agent, { conversation: { id: conversation }, ...options });
}
