// The branches of a conversation, with where they leave the thread.
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";

export type Branch = CallResult<"GET /agents/:agent/conversations/:conversation/branches">[number];

interface BranchListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly branches: readonly Branch[];
  readonly onSwitch: () => void;
}

export function BranchList({ agent, conversation, branches, onSwitch }: BranchListProps) {
  const { client } = useSession();
  const action = useAction();
  const switchTo = (messageId: string) =>
    action.run(async () => {
      const params = { agent, conversation };
      await client.call("POST /agents/:agent/conversations/:conversation/switch", { params, body: { messageId } });
      onSwitch();
    });
  if (branches.length < 2) return null;
  return (
    <details class="branches">
      <summary>{countText(branches.length, "branch", "branches")}</summary>
      {action.error === undefined ? null : <Failure error={action.error} />}
      <ul class="plain" aria-label="Branches">
        {branches.map(({ id, preview, messages, ownMessages, forkId, isCurrent, at }) => (
          <li key={id}>
            <PlainText text={preview} length={200} isInline />
            <span class="note block">
              <Moment at={at} />, {countText(messages, "message")}
              {isCurrent ? ", the current thread" : `, ${ownMessages} of them its own`}
              {forkId === null ? null : (
                <>
                  , from{" "}
                  <a href={addressOf(agentPlace(agent, "conversations", [conversation, forkId]))}>this message</a>
                </>
              )}
            </span>
            {isCurrent ? null : (
              <button type="button" disabled={action.isRunning} onClick={() => switchTo(id)}>
                Continue from there
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
