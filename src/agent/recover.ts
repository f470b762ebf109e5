// Takes up what a turn left undone that was broken off: by a killed process, an outage or an interruption.
// Invariant: a tool that only touches memory is run now, exactly once, since nothing of it was committed; any other is
// reported as interrupted, because nobody can know what it did.
import { findOpenCalls, isInput, threadEnd } from "../context/unfinished-turn.ts";
import { RequestError } from "../errors.ts";
import type { StoredMessage } from "../memory/records.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { type AgentParts, createTurn } from "./turn.ts";

/** Gives every call at the end of the thread its result. Returns how many had none. */
export async function settleOpenCalls(parts: AgentParts, signal: AbortSignal): Promise<number> {
  const open = findOpenCalls(parts.session.messages);
  if (open === null) return 0;
  const turn = createTurn(parts, { turnId: open.message.turnId, signal });
  // Nobody watches: the turn that these events belong to is gone. What comes next tells how many calls there were.
  for await (const _event of runToolCalls(turn, { ...open, step: 0, cut: true, recovering: true }));
  return open.calls.length;
}

/** Whether the last turn came to its end. */
export function isUnfinished(parts: AgentParts): boolean {
  const end = threadEnd(parts.session.messages);
  switch (end.type) {
    case "empty":
    case "reply":
      return false;
    case "input":
      return true;
    case "calls":
      return followUpOf(parts, end).continues;
  }
}

/** Brings the thread to where the next model call belongs. Returns the message that the turn answers. Throws RequestError `nothing_to_resume`. */
export async function takeUpTurn(parts: AgentParts, signal: AbortSignal): Promise<StoredMessage> {
  const { session } = parts;
  await settleOpenCalls(parts, signal);
  const input = session.messages.findLast(isInput);
  if (input === undefined || !isUnfinished(parts)) {
    throw new RequestError("nothing_to_resume", "The last turn of this conversation came to its end: send a message.");
  }
  const end = threadEnd(session.messages);
  const isTold = session.messages.at(-1)?.role === "user";
  if (end.type === "calls" && !isTold) {
    const events = followUpOf(parts, end).events.map((draft) => ({ ...draft, kind: "event" as const }));
    await session.append(input.turnId, events);
  }
  return input;
}

function followUpOf(
  { protocol, clock, agent }: AgentParts,
  end: Extract<ReturnType<typeof threadEnd>, { type: "calls" }>,
) {
  const step = { calls: end.calls, someCallFailed: end.someFailed, pressure: false };
  return protocol.followUp(step, { now: clock.now(), timeZone: agent.settings.timeZone });
}
