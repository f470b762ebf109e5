// Conversations with an agent: which one, and its thread.
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";
import { Failure } from "../parts/shown.tsx";
import { ConversationChoice } from "./conversation-choice.tsx";
import { ThreadView } from "./thread-view.tsx";

interface ConversationsViewProps {
  readonly agent: string;
  /** The conversation, and a message in it. */
  readonly path: readonly string[];
}

export function ConversationsView({ agent, path: [conversation, message] }: ConversationsViewProps) {
  const { client } = useSession();
  const action = useAction();
  const begin = () =>
    action.run(async () => {
      const { id } = await client.call("POST /agents/:agent/conversations", { params: { agent }, body: {} });
      goTo(agentPlace(agent, "conversations", [id]));
    });
  return (
    <>
      <div class="title-row">
        <h1>Conversations</h1>
        <button type="button" disabled={action.isRunning} onClick={begin}>
          New conversation
        </button>
      </div>
      {action.error === undefined ? null : <Failure error={action.error} />}
      <ConversationChoice agent={agent} chosen={conversation} view="conversations">
        {(id) => <ThreadView key={id} agent={agent} conversation={id} message={message} />}
      </ConversationChoice>
    </>
  );
}
