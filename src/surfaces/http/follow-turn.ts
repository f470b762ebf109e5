// Reads the stored events of a turn, and continues the turn if its process was killed or closed before the turn ended.
// Invariant: yields only stored events, each once and in order. A reader therefore gets the same events from every process.
// A turn that a client stopped, or that waits, is not continued.
import type { Agent } from "../../agent/agent.ts";
import { type AgentEvent, isWait } from "../../agent/events.ts";
import { systemClock } from "../../base/clock.ts";
import { RequestError } from "../../base/errors.ts";
import { valueOn } from "../../base/thrown-values.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { Fault } from "./fault.ts";

export interface FollowedTurn {
  readonly id: string;
  /** The id of the agent, or its name. */
  readonly agentId: string;
  readonly conversationId: string;
}

export type TurnPlace = Omit<FollowedTurn, "id">;

export interface FollowOptions {
  /** The number of the event after which reading begins. Default 0: all events. */
  readonly after?: number;
  /** Ends the reading, not the turn. */
  readonly signal?: AbortSignal;
  /** The events of a turn that this process has started, which are read first. */
  readonly started?: AsyncIterable<AgentEvent>;
}

/** Wraps the events in an object: they are thenable, so a promise of them would resolve only at the end of the turn. */
export interface OpenedEvents {
  readonly events: AsyncIterable<AgentEvent>;
}

/** Yields the events of a turn in order. Throws RequestError `turn_not_found` if its events are no longer stored. */
export async function* followTurn(
  runtime: UserRuntime,
  turn: FollowedTurn,
  { after = 0, signal, started }: FollowOptions = {},
): AsyncGenerator<AgentEvent, void> {
  const reading = signal === undefined ? {} : { signal };
  const place = { conversation: turn.conversationId, agent: turn.agentId };
  let read = after;
  let first = started;
  for (let goesOn = true; ; goesOn = await continueLeft(runtime, turn)) {
    const before = read;
    const events = first ?? runtime.turns.events(turn.id, { ...place, after: before, ...reading });
    first = undefined;
    for await (const event of events) {
      read = event.sequence;
      yield event;
      if (isLast(event)) return;
    }
    // If the turn cannot be continued, its events are read once more, because another process may have ended the turn.
    if (!goesOn && read === before) return;
  }
}

/**
 * Returns whether an event is the last one of its turn. The `turn-end` of a turn that waits is not the last event. Events of
 * the continued turn may follow it, or may be missing because the process was killed that received the decision.
 */
export function isLast(event: AgentEvent): boolean {
  return event.type === "turn-end" && !isWait(event.stopReason);
}

/**
 * Continues an unfinished turn in the background. Returns true if the turn goes on, here or in another process, and
 * false if there is nothing to continue.
 */
export async function continueLeft(runtime: UserRuntime, turn: FollowedTurn): Promise<boolean> {
  const agent = await openIn(runtime, turn);
  if (!agent.unfinished || agent.messages.at(-1)?.turnId !== turn.id) return false;
  try {
    const events = agent.resume({ turnId: turn.id, waitMs: 0 });
    await events.next();
    // The turn goes on in the background.
    await events.return();
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.code === "agent_busy") {
      await systemClock.sleep(busyPauseMs);
      return true;
    }
    if (error instanceof RequestError && leftAsItIs.has(error.code)) return false;
    // A key that may only read does not continue a turn.
    if (error instanceof Fault && error.code === "key_scope") return false;
    throw error;
  }
}

/** Milliseconds to wait before the turn's events are read again, if another process runs turns in the conversation. */
const busyPauseMs = 200;

/** Error codes of a turn that is over, waits for an approval, or cannot be continued here because this process shuts down. */
const leftAsItIs: ReadonlySet<string> = new Set([
  "nothing_to_resume",
  "turn_abandoned",
  "approval_pending",
  "runtime_closing",
]);

/** Opens an agent for reading. Opens a new conversation if this one has no messages, because it might not be stored. */
export function openForReading(
  { agents }: Pick<UserRuntime, "agents">,
  { id, agentId, leafId }: { readonly id: string; readonly agentId: string; readonly leafId: string | null },
): Promise<Agent> {
  const conversation = leafId === null ? "new" : { id };
  return agents.open(agentId, { conversation, withoutCalls: true, forReading: true });
}

export function openIn(
  runtime: UserRuntime,
  { agentId, conversationId }: TurnPlace,
  options: { readonly withoutCalls?: boolean } = {},
): Promise<Agent> {
  return runtime.agents.open(agentId, { conversation: { id: conversationId }, ...options });
}

/** Returns an agent's conversation with the wanted id, and creates the conversation if it does not exist. */
export async function conversationAt(
  { conversations }: Pick<UserRuntime, "conversations">,
  agentId: string,
  wanted: { readonly id: string; readonly title?: string },
) {
  const find = () => conversations.find(wanted.id).catch(valueOn("conversation_not_found", null));
  const found = await find();
  if (found !== null) return found;
  try {
    return await conversations.create(agentId, wanted);
  } catch (error) {
    // Another request may have created the conversation meanwhile.
    const created = await find();
    if (created === null) throw error;
    return created;
  }
}
