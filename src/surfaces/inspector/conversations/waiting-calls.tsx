// The calls that wait for the user's approval, or for a result of the program that offered their tool.
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { ApprovalItem, decide } from "./approval-item.tsx";
import type { LiveTurn } from "./use-live-turn.ts";

interface WaitingCallsProps {
  readonly agent: string;
  readonly conversation: string;
  /** A number that changes when the waiting calls may have changed. */
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
  return (
    <>
      <Failure error={waiting.error} retry={waiting.reload} />
      {approvals.map((call) => (
        <ApprovalItem
          key={call.callId}
          call={call}
          isRunning={live.isRunning}
          onDecide={(verdict) =>
            live.follow((signal) => decide(client, { ...params, callId: call.callId }, verdict, signal))
          }
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
