// Lists the conversations with an agent, and shows the thread of the chosen one, or else of the one used last.
import { Icon } from "../parts/icon.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";
import { ConversationHead } from "./conversation-head.tsx";
import { ConversationList, useConversations } from "./conversation-list.tsx";
import { ThreadView } from "./thread-view.tsx";

interface ConversationsViewProps {
  readonly agent: string;
  /** The id of the chosen conversation, then the id of a message in it; both can be absent. */
  readonly path: readonly string[];
}

export function ConversationsView({ agent, path: [chosen, message] }: ConversationsViewProps) {
  const { client } = useSession();
  const action = useAction();
  const { conversations, more } = useConversations(agent);
  const begin = () =>
    action.run(async () => {
      const { id } = await client.call("POST /agents/:agent/conversations", { params: { agent }, body: {} });
      goTo(agentPlace(agent, "conversations", [id]));
      conversations.reload();
    });
  return (
    <>
      <div class="title-row">
        <h1>Conversations</h1>
        <button type="button" disabled={action.isRunning} onClick={begin}>
          <Icon name="add" /> New conversation
        </button>
      </div>
      <Failure error={action.error} />
      <Shown loaded={conversations}>
        {(found) => {
          const id = chosen ?? found[0]?.id;
          const record = found.find((each) => each.id === id);
          return (
            <div class={chosen === undefined ? "columns" : "columns chosen"}>
              <ConversationList agent={agent} conversations={found} chosen={id} onMore={more} />
              <section class="chosen-only detail" aria-label="Conversation">
                <a class="back" href={addressOf(agentPlace(agent, "conversations"))}>
                  ← All conversations
                </a>
                {record === undefined ? null : (
                  <ConversationHead key={id} agent={agent} conversation={record} onChange={conversations.reload} />
                )}
                {id === undefined ? null : (
                  <ThreadView
                    key={id}
                    agent={agent}
                    conversation={id}
                    message={message}
                    onTurnEnd={conversations.reload}
                  />
                )}
              </section>
            </div>
          );
        }}
      </Shown>
    </>
  );
}
