// The thread of a conversation, live: messages, the turn that runs, calls that wait, branches and a box for a message.
import { useState } from "preact/hooks";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { Failure } from "../parts/shown.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { BranchList } from "./branch-list.tsx";
import { LiveRow } from "./live-row.tsx";
import { MessageBox, type SentMessage } from "./message-box.tsx";
import { MessageRow } from "./message-row.tsx";
import { useLiveTurn } from "./use-live-turn.ts";
import { type LoadedThread, useThread } from "./use-thread.ts";
import { WaitingCalls } from "./waiting-calls.tsx";

interface ThreadViewProps {
  readonly agent: string;
  readonly conversation: string;
  /** A message to begin at. */
  readonly message: string | undefined;
}

export function ThreadView({ agent, conversation, message }: ThreadViewProps) {
  const { client } = useSession();
  const [round, setRound] = useState(0);
  const [forgotten, setForgotten] = useState<string | null>(null);
  const loaded = useThread({ agent, conversation, around: message });
  const refresh = (): void => {
    loaded.reload();
    setRound((count) => count + 1);
  };
  const live = useLiveTurn(agent, conversation, refresh);
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
      {loaded.error === undefined ? null : <Failure error={loaded.error} retry={loaded.reload} />}
      <MessageList
        agent={agent}
        conversation={conversation}
        loaded={loaded}
        chosen={message}
        forks={forks}
        onForget={setForgotten}
      />
      {thread?.hasNewer === true ? (
        <p class="note">
          <a href={addressOf(agentPlace(agent, "conversations", [conversation]))}>To the end of the conversation</a>
        </p>
      ) : null}
      {live.progress === null ? null : <LiveRow progress={live.progress} isRunning={live.isRunning} />}
      {[live.error, stopping.error].map((error, at) =>
        error === undefined ? null : <Failure key={at} error={error} />,
      )}
      <WaitingCalls agent={agent} conversation={conversation} round={round} live={live} />
      <MessageBox isRunning={live.isRunning} onSend={send} onStop={stop} />
      {forgotten === null ? null : (
        <ForgetDialog
          item={{ kind: "message", id: forgotten }}
          onClose={() => setForgotten(null)}
          onForgotten={() => {
            setForgotten(null);
            refresh();
          }}
        />
      )}
    </div>
  );
}

interface MessageListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly loaded: LoadedThread;
  /** The id of the message to begin at; the end without one. */
  readonly chosen: string | undefined;
  /** The ids of messages after which other branches begin, one for each branch. */
  readonly forks: readonly string[];
  readonly onForget: (id: string) => void;
}

function MessageList({ agent, conversation, loaded, chosen, forks, onForget }: MessageListProps) {
  const { thread, loadOlder, loadNewer } = loaded;
  if (thread === undefined) return null;
  if (thread.messages.length === 0) return <p class="note">No message yet.</p>;
  return (
    <VirtualList
      key={chosen ?? ""}
      label="Messages"
      items={thread.messages}
      keyOf={({ id }) => id}
      estimate={110}
      beginsAtEnd
      {...(chosen === undefined ? {} : { firstKey: chosen })}
      onBeginning={loadOlder}
      onEnd={loadNewer}
    >
      {(message) => (
        <MessageRow
          agent={agent}
          conversation={conversation}
          message={message}
          isChosen={message.id === chosen}
          branches={forks.filter((id) => id === message.id).length}
          onForget={onForget}
        />
      )}
    </VirtualList>
  );
}
