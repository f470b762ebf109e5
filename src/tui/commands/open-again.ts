// The agent opened anew where it is, after something was changed that it is opened with.
// Invariant: it stays in its conversation.
import type { CommandContext, CommandEffect } from "./command.ts";

/** Throws as opening an agent does, for a model that cannot be used too. */
export async function openAgain(
  { runtime, agent }: CommandContext,
  change: { readonly model?: string } = {},
): Promise<Extract<CommandEffect, { type: "open" }>> {
  const conversation = { id: agent.conversationId };
  return { type: "open", agent: await runtime.agents.open(agent.record.id, { conversation, ...change }) };
}
