// Shows the thread of a conversation live: messages, the running turn, waiting calls, branches and a box for a message.
import { useState } from "preact/hooks";
import type { TurnEnd } from "../../../agent/events.ts";
import type { TurnState } from "../../../agent/fold-turn.ts";
import type { CallResult } from "../../client/api-types.ts";
import { useForgetting } from "../forget/forget-dialog.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Meter } from "../parts/meter.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction, useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { MessageBox, type SentMessage } from "./message-box.tsx";
import { MessageRow } from "./message-row.tsx";
import { placeInTurn } from "./turn-place.ts";
import { textsOf, type TurnProgress } from "./turn-progress.ts";
import { TurnUse } from "./turn-use.tsx";
import { useLiveTurn, type LiveTurn } from "./use-live-turn.ts";
import { useModelCalls } from "./use-model-calls.ts";
import { type LoadedThread, type ThreadMessage, useThread } from "./use-thread.ts";
import { ApprovalItem, decide } from "./approval-item.tsx";

interface ThreadViewProps {
  readonly agent: string;
  readonly conversation: string;
  /** The id of the message to show first; if absent, the end of the thread is shown. */
  readonly message: string | undefined;
  readonly onTurnEnd: () => void;
}

export function ThreadView({ agent, conversation, message, onTurnEnd }: ThreadViewProps) {
  const { client } = useSession();
  const [round, setRound] = useState(0);
  const loaded = useThread({ agent, conversation, around: message });
  const refresh = (): void => {
    loaded.reload();
    setRound((count) => count + 1);
  };
  const { forget, dialog } = useForgetting(refresh);
  const live = useLiveTurn(agent, conversation, () => (refresh(), onTurnEnd()));
  const place = { agent, conversation };
  const branches = useLoaded(
    (signal) => client.call("GET /agents/:agent/conversations/:conversation/branches", { params: place, signal }),
    [client, agent, conversation, round],
  );
  const send = (message: SentMessage): Promise<boolean> =>
    live.follow((signal) => client.send(place, { messages: [message] }, { signal }));
  const stopping = useAction();
  const stop = () =>
    stopping.run(() =>
      client.call("POST /agents/:agent/conversations/:conversation/stop", { params: place, body: {} }),
    );
  const { thread } = loaded;
  const forks = (branches.value ?? []).flatMap(({ forkId }) => (forkId === null ? [] : [forkId]));
  return (
    <div class="thread">
      <BranchList agent={agent} conversation={conversation} branches={branches.value ?? []} onSwitch={refresh} />
      <Failure error={loaded.error} retry={loaded.reload} />
      <MessageList
        agent={agent}
        conversation={conversation}
        loaded={loaded}
        chosen={message}
        forks={forks}
        onForget={(id) => forget({ kind: "message", id })}
      />
      {thread?.hasNewer === true ? (
        <p class="note">
          <a href={addressOf(agentPlace(agent, "conversations", [conversation]))}>To the end of the conversation</a>
        </p>
      ) : null}
      {live.progress === null ? null : <LiveRow progress={live.progress} isRunning={live.isRunning} />}
      <Failure error={live.error} />
      <Failure error={stopping.error} />
      <WaitingCalls agent={agent} conversation={conversation} round={round} live={live} />
      <MessageBox isRunning={live.isRunning} onSend={send} onStop={stop} />
      {dialog}
    </div>
  );
}

interface MessageListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly loaded: LoadedThread;
  /** The id of the message to show first; if absent, the end of the thread is shown. */
  readonly chosen: string | undefined;
  /** The ids of messages after which other branches begin, one for each branch. */
  readonly forks: readonly string[];
  readonly onForget: (id: string) => void;
}

const none: readonly ThreadMessage[] = [];

/** Lists the messages, with all messages of a turn in one frame. */
function MessageList({ agent, conversation, loaded, chosen, forks, onForget }: MessageListProps) {
  const { thread, loadOlder, loadNewer } = loaded;
  const messages = thread?.messages ?? none;
  const { error, reload, ...made } = useModelCalls(agent, conversation, messages);
  if (thread === undefined) return null;
  if (messages.length === 0) return <p class="note">No message yet.</p>;
  return (
    <>
      <Failure error={error} retry={reload} />
      <VirtualList
        key={chosen ?? ""}
        label="Messages"
        items={messages}
        keyOf={({ id }) => id}
        estimate={80}
        beginsAtEnd
        {...(chosen === undefined ? {} : { firstKey: chosen })}
        onBeginning={loadOlder}
        onEnd={loadNewer}
      >
        {(message, at) => {
          const place = placeInTurn(thread, at);
          return (
            <MessageRow
              agent={agent}
              conversation={conversation}
              message={message}
              place={place}
              isChosen={message.id === chosen}
              branches={forks.filter((id) => id === message.id).length}
              onForget={onForget}
            >
              {place.isLast ? <TurnUse thread={thread} turn={message.turnId} {...made} /> : null}
            </MessageRow>
          );
        }}
      </VirtualList>
    </>
  );
}

type Branch = CallResult<"GET /agents/:agent/conversations/:conversation/branches">[number];

interface BranchListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly branches: readonly Branch[];
  readonly onSwitch: () => void;
}

/** Lists the branches of a conversation, each with the message after which it begins. */
function BranchList({ agent, conversation, branches, onSwitch }: BranchListProps) {
  const { client } = useSession();
  const action = useChange(onSwitch);
  const params = { agent, conversation };
  const switchTo = (messageId: string) =>
    action.act(() =>
      client.call("POST /agents/:agent/conversations/:conversation/switch", { params, body: { messageId } }),
    );
  if (branches.length < 2) return null;
  return (
    <details class="branches">
      <summary>{countText(branches.length, "branch", "branches")}</summary>
      <Failure error={action.error} />
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

/** The stop reasons that are not shown in a note. */
const usualEnds: ReadonlySet<string> = new Set(["end-turn", "awaiting-approval", "awaiting-result", "awaiting-reply"]);

/** Shows the running turn: its text as it arrives, its calls, its edits of memory and its notes. */
function LiveRow({ progress, isRunning }: { readonly progress: TurnProgress; readonly isRunning: boolean }) {
  const { turn, notes } = progress;
  const { said, text, thought } = textsOf(turn);
  const { stopReason = "end-turn", error }: Partial<TurnEnd> = turn.end ?? {};
  const isUsualEnd = usualEnds.has(stopReason);
  if (!isRunning && notes.length === 0 && error === undefined && isUsualEnd) return null;
  return (
    <section class="message assistant live" aria-label="Running turn" aria-live="polite" aria-busy={isRunning}>
      {isRunning ? <WorkHead turn={turn} /> : null}
      <Markdown text={said} />
      <div class="note">
        <PlainText text={thought} length={2000} />
      </div>
      <Markdown text={text} />
      <CallsAndEdits turn={turn} />
      {notes.map((note, at) => (
        <p key={at} class="note">
          <PlainText text={note} length={500} isInline />
        </p>
      ))}
      {error === undefined ? null : (
        <div class="failure" role="alert">
          <PlainText text={error.message} length={2000} />
        </div>
      )}
      {isRunning || isUsualEnd ? null : <p class="note">The turn ended: {stopReason}</p>}
    </section>
  );
}

function WorkHead({ turn: { step, window } }: { readonly turn: TurnState }) {
  return (
    <div class="message-head">
      <strong>agent</strong> <span class="note">is working{step === 0 ? "" : `, step ${step}`}</span>
      {window === null ? null : <Meter label="Window" value={window.tokens} limit={window.limit} unit="tokens" />}
    </div>
  );
}

function CallsAndEdits({ turn: { calls, edits } }: { readonly turn: TurnState }) {
  return (
    <>
      {calls.map(({ callId, name, status, result }) => (
        <p key={callId}>
          Call of <PlainText text={name} length={80} isInline /> <span class="mark">{status}</span>
          {result === null ? null : <PlainText text={result} length={300} isInline />}
        </p>
      ))}
      {edits.map(({ label, revision, before, after }) => (
        <div key={`${label} ${revision}`}>
          <p class="note">
            Memory of <PlainText text={label} length={60} isInline />
          </p>
          <DiffView before={before} after={after} />
        </div>
      ))}
    </>
  );
}

interface WaitingCallsProps {
  readonly agent: string;
  readonly conversation: string;
  /** A number that changes when the waiting calls may have changed. */
  readonly round: number;
  readonly live: LiveTurn;
}

/** Lists the calls that wait for the user's approval, or for a result of the program that offered their tool. */
function WaitingCalls({ agent, conversation, round, live }: WaitingCallsProps) {
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
