// Begins a turn with a runtime event instead of a message, at the user's request.
// Invariant: no event is appended while a call waits for approval; the event is committed before any model is called.
import { findOpenCalls } from "../../context/window/unfinished-turn.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { awaitLease, type LeaseRequest } from "../lease/await-lease.ts";
import { waitingCalls } from "../approval/waiting-calls.ts";
import type { AgentEvent } from "../events.ts";
import type { RaisedEvent } from "../protocol/protocol.ts";
import { approvalPending, settleOpenCalls } from "./recover.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";

/** Throws RequestError `approval_pending` with nothing written. */
export async function* openRaisedTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  raised: RaisedEvent,
): AsyncGenerator<AgentEvent, TurnOpening> {
  yield* awaitLease(deps, request);
  const { session, protocol, clock, agent } = deps;
  if (findOpenCalls(session.messages) !== null) await session.approvals.load(session.messages);
  const waiting = waitingCalls(deps);
  if (waiting.length > 0) throw approvalPending(waiting);
  const settled = await settleOpenCalls(deps, request.signal);
  await session.refreshMemory();
  const event = protocol.raised(raised, { now: clock.now(), timeZone: agent.settings.timeZone });
  await session.append(request.turnId, [{ ...event, kind: "event" }]);
  return { input: session.messages.at(-1) as StoredMessage, isNew: true, settled };
}
