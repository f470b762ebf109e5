// Sends messages behind an earlier message of a conversation: what followed it becomes a branch.
// Invariant: messages that are refused leave the conversation where it was.
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { SentMessage, TurnEvents, TurnOptions } from "../../agent/turn-options.ts";

interface SentAfter {
  /** The id of the message; null: before the first one. */
  readonly after: string | null;
  readonly messages: readonly SentMessage[];
  readonly options: TurnOptions;
}

/** Throws RequestError as `switchTo` and `send` do. */
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

/** Wraps the events of a turn, which as a promise would be awaited. */
export async function* joined(earlier: readonly AgentEvent[], rest: TurnEvents): AsyncGenerator<AgentEvent, void> {
  yield* earlier;
  yield* rest;
}
