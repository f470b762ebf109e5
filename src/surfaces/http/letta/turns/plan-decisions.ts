// Plans how a client's decisions about calls are carried out: which call each decision is about, and whether that call waits.
// Invariant: nothing is written. Each decision of the older form, about a message, becomes one decision for each of its calls.
import type { Agent } from "../../../../agent/agent.ts";
import type { CallResult } from "../../../../agent/turn-options.ts";
import { valueOn } from "../../../../base/thrown-values.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Verdict } from "../../decide-calls.ts";
import type { TurnPlace } from "../../follow-turn.ts";
import { readMessageId } from "../ids.ts";
import type { CallDecision } from "./turn-request.ts";

type WaitingCall = Pick<Agent["pendingResults"][number], "callId" | "messageId">;

export interface WaitingCalls {
  readonly approvals: readonly WaitingCall[];
  readonly results: readonly WaitingCall[];
  /** The result of `decidedCalls`: calls that no longer wait, although a decision names their message. Default: none. */
  readonly decided?: readonly WaitingCall[];
}

/**
 * Returns the decided calls of messages that decisions in the older form name, if no call of the message waits. A repeated
 * request names such messages again.
 */
export async function decidedCalls(
  { conversations }: Pick<UserRuntime, "conversations">,
  { conversationId }: TurnPlace,
  { decisions, approvals, results }: WaitingCalls & { readonly decisions: readonly CallDecision[] },
): Promise<readonly WaitingCall[]> {
  const waiting = [...approvals, ...results];
  const named = decisions.flatMap((one) => (one.type === "verdict-of-all" ? [readMessageId(one.requestId)] : []));
  const uuids = named.flatMap((one) => one?.uuid ?? []);
  const others = uuids.filter((uuid) => waiting.every(({ messageId: asking }) => asking !== uuid));
  const found = await Promise.all(
    others.map((uuid) => conversations.message(uuid).catch(valueOn("message_not_found", null))),
  );
  return found.flatMap((message) => {
    if (message?.conversationId !== conversationId) return [];
    const { id, calls } = message;
    const decided = calls.filter(
      (call) => call.request !== null && waiting.every(({ callId }) => callId !== call.callId),
    );
    return decided.map(({ callId }) => ({ callId, messageId: id }));
  });
}

/**
 * Returns the decisions to carry out. `others`: the calls whose decisions cannot be carried out, because the calls do not
 * wait, or need another kind of decision.
 */
export function planDecisions(decisions: readonly CallDecision[], waiting: WaitingCalls) {
  const verdicts: Verdict[] = [];
  const results: CallResult[] = [];
  const others: string[] = [];
  const isAmong = (calls: readonly WaitingCall[], id: string): boolean => calls.some(({ callId }) => callId === id);
  for (const decision of decisions.flatMap((one) => expanded(one, waiting))) {
    const callId = decision.type === "result" ? decision.result.callId : decision.callId;
    const isResultAwaited = isAmong(waiting.results, callId);
    if (decision.type === "result" && isResultAwaited) results.push(decision.result);
    else if (decision.type === "verdict" && isAmong(waiting.approvals, callId)) verdicts.push(decision);
    // The client refuses to run its own tool, so the call has failed.
    else if (decision.type === "verdict" && isResultAwaited && !decision.approve) results.push(denied(decision));
    else others.push(callId);
  }
  return { verdicts, results, others };
}

type OneDecision = Exclude<CallDecision, { readonly type: "verdict-of-all" }>;

/** Returns one decision for each call. A decision in the older form names the message with the calls, or one call. */
function expanded(decision: CallDecision, { approvals, results, decided = [] }: WaitingCalls): readonly OneDecision[] {
  if (decision.type !== "verdict-of-all") return [decision];
  const { requestId, approve, reason } = decision;
  const uuid = readMessageId(requestId)?.uuid;
  const calls = [...approvals, ...results, ...decided].filter(
    ({ callId, messageId }) => messageId === uuid || callId === requestId,
  );
  const ids = calls.length === 0 ? [requestId] : calls.map(({ callId }) => callId);
  return ids.map((callId) => ({ type: "verdict", callId, approve, reason }));
}

function denied({ callId, reason }: Verdict): CallResult {
  const why = reason === null || reason === "" ? "" : ` User reason: ${reason}`;
  return { callId, status: "failed", text: `Error: request to call tool denied.${why}` };
}
