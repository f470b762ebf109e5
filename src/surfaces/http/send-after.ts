// Sends messages after an earlier message of a conversation. The messages after the earlier one become a branch.
// Invariant: if the messages are refused, the conversation stays at its newest message.
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { SentMessage, TurnEvents, TurnOptions } from "../../agent/turn-options.ts";

interface SentAfter {
  /** The id of the earlier message; null: the messages become the first ones. */
  readonly after: string | null;
  readonly messages: readonly SentMessage[];
  readonly options: TurnOptions;
}

/** Sends the messages, and returns the events of their turn. Throws the same RequestErrors as `switchTo` and `send`. */
export async function sendAfter(
  { conversations }: Pick<UserRuntime, "conversations">,
  agent: Agent,
  { after, messages, options }: SentAfter,
): Promise<AsyncGenerator<AgentEvent, void>> {
  const { leafId } = await conversations.find(agent.conversationId);
  await agent.switchTo(after);
  const events = agent.send({ messages }, options);
  try {
    const { value: first } = await events.next();
    // A turn emits at least one event or throws.
    return joined([first as AgentEvent], events);
  } catch (error) {
    await agent.switchTo(leafId);
    throw error;
  }
}

/**
 * Yields `earlier`, then `rest`. This is a generator, because a promise of `rest`, which is thenable, would await its
 * end.
 */
export async function* joined(earlier: readonly AgentEvent[], rest: TurnEvents): AsyncGenerator<AgentEvent, void> {
  yield* earlier;
  yield* rest;
}
