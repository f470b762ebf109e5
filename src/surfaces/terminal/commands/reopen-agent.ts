// Reopens the agent after a change of its settings.
// Invariant: it stays in its conversation.
import type { CommandContext, CommandEffect } from "./command.ts";

/** Throws like opening an agent, also for an unusable model. */
export async function reopenAgent(
  { runtime, agent }: CommandContext,
  change: { readonly model?: string; readonly baseUrl?: string | null } = {},
): Promise<Extract<CommandEffect, { type: "open" }>> {
  const conversation = { id: agent.conversationId };
  return { type: "open", agent: await runtime.agents.open(agent.record.id, { conversation, ...change }) };
}
