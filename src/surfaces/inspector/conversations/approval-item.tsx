// Shows a call that waits for the user's approval, and sends the user's decision.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AgentEvent } from "../../../agent/events.ts";
import type { Client } from "../../client/create-client.ts";
import { formattedJson } from "../parts/formatted-json.ts";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { typed } from "../session/use-action.ts";

/** The decision about a call, with the reason for a denial; "" if the user gave none. */
export type Verdict = { readonly isApproved: true } | { readonly isApproved: false; readonly reason: string };

interface CallPlace {
  readonly agent: string;
  readonly conversation: string;
  readonly callId: string;
}

/** Decides about a call, and yields the events of the turn that continues. */
export function decide(
  client: Client,
  { callId, ...place }: CallPlace,
  verdict: Verdict,
  signal?: AbortSignal,
): AsyncIterable<AgentEvent> {
  const of = { params: { ...place, call: callId }, ...(signal === undefined ? {} : { signal }) };
  if (verdict.isApproved)
    return client.events("POST /agents/:agent/conversations/:conversation/calls/:call/approve", { ...of, body: {} });
  return client.events("POST /agents/:agent/conversations/:conversation/calls/:call/deny", {
    ...of,
    body: verdict.reason === "" ? {} : { reason: verdict.reason },
  });
}

interface ApprovalItemProps {
  readonly call: {
    readonly callId: string;
    readonly toolName: string;
    readonly arguments: string;
    readonly requestedAt: string;
  };
  readonly isRunning: boolean;
  readonly onDecide: (verdict: Verdict) => void;
  /** A link to the agent that called the tool; absent in a view of only this agent. */
  readonly of?: ComponentChildren;
}

export function ApprovalItem({ call, isRunning, onDecide, of }: ApprovalItemProps) {
  const [reason, setReason] = useState("");
  const field = `reason-${call.callId}`;
  return (
    <section class="approval" aria-label={`Approval of ${call.toolName}`}>
      <p>
        <strong>
          <PlainText text={call.toolName} length={80} isInline />
        </strong>{" "}
        {of === undefined ? null : <>of {of} </>}waits for your approval, <Moment at={call.requestedAt} />
      </p>
      <div class="code">
        <PlainText text={formattedJson(call.arguments)} length={4000} />
      </div>
      <div class="actions">
        <button type="button" class="main" disabled={isRunning} onClick={() => onDecide({ isApproved: true })}>
          Approve
        </button>
        <button
          type="button"
          class="danger"
          disabled={isRunning}
          onClick={() => onDecide({ isApproved: false, reason: reason.trim() })}
        >
          Deny
        </button>
        <label class="off-screen" for={field}>
          Reason for a denial
        </label>
        <input id={field} type="text" placeholder="reason, for the model" value={reason} onInput={typed(setReason)} />
      </div>
    </section>
  );
}
