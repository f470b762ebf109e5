// Finds the calls that an open conversation waits for.
// Invariant: reads only; a call whose approval has expired waits no more.
import type { ApprovalRecord } from "../../store/port/records.ts";
import type { AgentDeps } from "../turn.ts";
import { isExpired } from "./call-approvals.ts";

/** Returns the calls that wait for a decision or for a result, in their order. */
export function waitingCalls({ session, clock }: Pick<AgentDeps, "session" | "clock">): readonly ApprovalRecord[] {
  return session.approvals.waiting(session.messages).filter((call) => !isExpired(call, clock.now()));
}

/** Returns the calls that wait for one of the two. */
export function callsAwaiting(
  deps: Pick<AgentDeps, "session" | "clock">,
  awaits: ApprovalRecord["awaits"],
): readonly ApprovalRecord[] {
  return waitingCalls(deps).filter((call) => call.awaits === awaits);
}
