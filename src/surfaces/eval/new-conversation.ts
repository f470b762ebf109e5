// Uses an agent in a new conversation that is deleted afterwards.
// Invariant: the conversation is deleted even if its use fails.
import type { Agent } from "../../agent/agent.ts";
import type { Runtime } from "../../runtime/runtime.ts";

export async function inNewConversation<Result>(
  runtime: Runtime,
  name: string,
  use: (agent: Agent) => Promise<Result>,
): Promise<Result> {
  const agent = await runtime.agents.open(name, { conversation: "new" });
  try {
    return await use(agent);
  } finally {
    await runtime.conversations.delete(agent.conversationId);
  }
}
