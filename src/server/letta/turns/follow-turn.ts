// Reads the stored events of a turn that runs in the background, and continues the turn if its process was killed.
// Invariant: only stored events are returned, each once and in order, so that a reader that comes back after another process has
// taken over gets the same ones; a turn that a client stopped, or that waits, is not continued.
import type { Agent } from "../../../agent/agent.ts";
import type { AgentEvent } from "../../../agent/events.ts";
import type { TurnEvents, TurnOptions } from "../../../agent/turn-options.ts";
import { RequestError } from "../../../errors.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { readNotes, type RunNotes } from "./run-notes.ts";
import type { TurnRecord } from "./runtime-records.ts";

export type FollowedTurn = Pick<TurnRecord, "id" | "agentId" | "conversationId">;

/** Yields the events from the first one. Throws RequestError `turn_not_found` if they are no longer stored. */
export async function* followTurn(
  runtime: UserRuntime,
  turn: FollowedTurn,
  signal?: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const reading = signal === undefined ? {} : { signal };
  let read = 0;
  for (let isMore = true; isMore; ) {
    const agent = await openIn(runtime, turn, { withoutCalls: true });
    const before = read;
    let isOver = false;
    for await (const event of agent.events(turn.id, { after: before, ...reading })) {
      read = event.sequence;
      isOver = isLast(event);
      yield event;
    }
    isMore = !isOver && ((await continueKilled(runtime, turn)) || read > before);
  }
}

/**
 * Whether a turn does not go on after an event. One that has stopped to wait may have been decided about by a process that was
 * killed before it stored the next event.
 */
function isLast(event: AgentEvent): boolean {
  if (event.type !== "turn-end") return false;
  return event.stopReason !== "awaiting-approval" && event.stopReason !== "awaiting-result";
}

/** Continues a turn whose process was killed, without a reader. Returns false if there is nothing to continue. */
export async function continueKilled(runtime: UserRuntime, turn: FollowedTurn): Promise<boolean> {
  const agent = await openIn(runtime, turn);
  if (!agent.unfinished || agent.messages.at(-1)?.turnId !== turn.id) return false;
  const notes = readNotes(await runtime.turns.find(turn.id));
  try {
    await detach(agent.resume(optionsOf(notes)));
    return true;
  } catch (error) {
    // Another reader continued it meanwhile, or it waits for an approval now.
    if (error instanceof RequestError && ["nothing_to_resume", "approval_pending"].includes(error.code)) return false;
    throw error;
  }
}

/** Begins a turn that nobody reads, and returns its first event. */
export async function detach(events: TurnEvents): Promise<AgentEvent> {
  const { value: first } = await events.next();
  await events.return();
  // A turn emits at least one event or throws.
  return first as AgentEvent;
}

export function optionsOf({ maxSteps, model, systemPrompt, clientTools }: RunNotes): TurnOptions {
  return {
    ...(maxSteps === null ? {} : { maxSteps }),
    ...(model === null ? {} : { model }),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    ...(clientTools.length === 0 ? {} : { clientTools }),
  };
}

export function openIn(
  runtime: UserRuntime,
  { agentId, conversationId }: Pick<FollowedTurn, "agentId" | "conversationId">,
  options: { readonly withoutCalls?: boolean } = {},
): Promise<Agent> {
  return runtime.agents.open(agentId, { conversation: { id: conversationId }, ...options });
}
