// The calls that wait for the user's approval, or for a result of the program that offered their tool.
import { useState } from "preact/hooks";
import type { AgentEvent } from "../../../agent/events.ts";
import { formattedJson } from "../parts/formatted-json.ts";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import type { LiveTurn } from "./use-live-turn.ts";

interface WaitingCallsProps {
  readonly agent: string;
  readonly conversation: string;
  /** Changes when calls may have begun to wait or been decided. */
  readonly round: number;
  readonly live: LiveTurn;
}

export function WaitingCalls({ agent, conversation, round, live }: WaitingCallsProps) {
  const { client } = useSession();
  const params = { agent, conversation };
  const waiting = useLoaded(
    (signal) => client.call("GET /agents/:agent/conversations/:conversation/waiting", { params, signal }),
    [client, agent, conversation, round],
  );
  const { approvals = [], results = [] } = waiting.value ?? {};
  const decide = (callId: string, verdict: "approve" | "deny", reason: string): Promise<boolean> =>
    live.follow((signal): AsyncIterable<AgentEvent> => {
      const of = { params: { ...params, call: callId }, signal };
      return verdict === "approve"
        ? client.events("POST /agents/:agent/conversations/:conversation/calls/:call/approve", { ...of, body: {} })
        : client.events("POST /agents/:agent/conversations/:conversation/calls/:call/deny", {
            ...of,
            body: reason === "" ? {} : { reason },
          });
    });
  return (
    <>
      <Failure error={waiting.error} retry={waiting.reload} />
      {approvals.map((call) => (
        <ApprovalItem
          key={call.callId}
          call={call}
          isRunning={live.isRunning}
          onDecide={(verdict, reason) => decide(call.callId, verdict, reason)}
        />
      ))}
      {results.map(({ callId, toolName }) => (
        <p key={callId} class="note">
          A call of <PlainText text={toolName} length={80} isInline /> waits for the program that offered this tool.
        </p>
      ))}
    </>
  );
}

interface ApprovalItemProps {
  readonly call: {
    readonly callId: string;
    readonly toolName: string;
    readonly arguments: string;
    readonly requestedAt: string;
  };
  readonly isRunning: boolean;
  readonly onDecide: (verdict: "approve" | "deny", reason: string) => void;
}

function ApprovalItem({ call, isRunning, onDecide }: ApprovalItemProps) {
  const [reason, setReason] = useState("");
  const field = `reason-${call.callId}`;
  return (
    <section class="approval" aria-label={`Approval of ${call.toolName}`}>
      <p>
        <strong>
          <PlainText text={call.toolName} length={80} isInline />
        </strong>{" "}
        waits for your approval since <Moment at={call.requestedAt} />
      </p>
      <div class="code">
        <PlainText text={formattedJson(call.arguments)} length={4000} />
      </div>
      <div class="actions">
        <button type="button" class="main" disabled={isRunning} onClick={() => onDecide("approve", "")}>
          Approve
        </button>
        <button type="button" class="danger" disabled={isRunning} onClick={() => onDecide("deny", reason.trim())}>
          Deny
        </button>
        <label class="off-screen" for={field}>
          Reason for a denial
        </label>
        <input
          id={field}
          type="text"
          placeholder="reason, for the model"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </section>
  );
}
