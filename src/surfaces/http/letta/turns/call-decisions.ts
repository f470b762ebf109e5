// What a client decided about the calls that wait: approvals to give or deny, and results to store.
// Invariant: pure; a decision about a call that does not wait is not carried out.
import type { CallResult, PendingResult } from "../../../../agent/turn-options.ts";
import type { CallDecisions, Verdict } from "../../decide-calls.ts";
import { readMessageId } from "./message-ids.ts";
import type { CallDecision } from "./turn-request.ts";

export interface WaitingCalls {
  readonly approvals: readonly Pick<PendingResult, "callId" | "messageId">[];
  readonly results: readonly Pick<PendingResult, "callId" | "messageId">[];
}

interface DecisionPlan extends CallDecisions {
  /** The calls of decisions that cannot be carried out: they do not wait, or need something else. */
  readonly others: readonly string[];
}

export function planDecisions(decisions: readonly CallDecision[], waiting: WaitingCalls): DecisionPlan {
  const plans = decisions.flatMap((decision) => expanded(decision, waiting)).map((one) => planOne(one, waiting));
  return {
    verdicts: plans.flatMap(({ verdict }) => verdict ?? []),
    results: plans.flatMap(({ result }) => result ?? []),
    others: plans.flatMap(({ other }) => other ?? []),
  };
}

type OneDecision = Exclude<CallDecision, { readonly type: "verdict-of-all" }>;

/** The older form names the message with the calls, or one call. */
function expanded(decision: CallDecision, { approvals, results }: WaitingCalls): readonly OneDecision[] {
  if (decision.type !== "verdict-of-all") return [decision];
  const { requestId, approve, reason } = decision;
  const uuid = readMessageId(requestId)?.uuid;
  const calls = [...approvals, ...results].filter(
    ({ callId, messageId }) => messageId === uuid || callId === requestId,
  );
  const ids = calls.length === 0 ? [requestId] : calls.map(({ callId }) => callId);
  return ids.map((callId) => ({ type: "verdict", callId, approve, reason }));
}

interface OnePlan {
  readonly verdict?: Verdict;
  readonly result?: CallResult;
  readonly other?: string;
}

function planOne(decision: OneDecision, { approvals, results }: WaitingCalls): OnePlan {
  const callId = decision.type === "result" ? decision.result.callId : decision.callId;
  const isAmong = (calls: readonly { readonly callId: string }[]): boolean =>
    calls.some((call) => call.callId === callId);
  if (decision.type === "result") return isAmong(results) ? { result: decision.result } : { other: callId };
  if (isAmong(approvals)) return { verdict: decision };
  // The client refuses to run its own tool.
  if (isAmong(results) && !decision.approve) return { result: denied(decision) };
  return { other: callId };
}

function denied({ callId, reason }: Verdict): CallResult {
  const why = reason === null || reason === "" ? "" : ` User reason: ${reason}`;
  return { callId, status: "failed", text: `Error: request to call tool denied.${why}` };
}
