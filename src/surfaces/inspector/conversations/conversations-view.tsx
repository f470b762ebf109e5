// Lists the conversations with an agent, and shows the thread of the chosen one, or else of the one used last.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { submitting, typed, useAction, useChange } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";
import { ConversationList, useConversations } from "./conversation-list.tsx";
import { type Conversation, conversationName } from "./conversation-name.ts";
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

interface ConversationHeadProps {
  readonly agent: string;
  readonly conversation: Conversation;
  readonly onChange: () => void;
}

/** Shows the name of a conversation, with the buttons that rename and delete the conversation. */
function ConversationHead({ agent, conversation, onChange }: ConversationHeadProps) {
  const { client } = useSession();
  const [isNaming, setNaming] = useState(false);
  const action = useChange(() => {
    setNaming(false);
    onChange();
  });
  const params = { agent, conversation: conversation.id };
  const rename = (title: string | null) =>
    action.act(() => client.call("PATCH /agents/:agent/conversations/:conversation", { params, body: { title } }));
  const remove = async (): Promise<void> => {
    await client.call("DELETE /agents/:agent/conversations/:conversation", { params });
    goTo(agentPlace(agent, "conversations"));
  };
  return (
    <div class="title-row calm">
      {isNaming ? (
        <NameForm
          title={conversation.title ?? ""}
          isRunning={action.isRunning}
          onSave={rename}
          onClose={() => setNaming(false)}
        />
      ) : (
        <>
          <h2>
            <bdi>{conversationName(conversation)}</bdi>
          </h2>
          <span class="row-actions">
            <button type="button" class="quiet" onClick={() => setNaming(true)}>
              <Icon name="edit" /> Rename
            </button>
            <ConfirmedButton
              icon="remove"
              label="Delete"
              question="Delete with its messages?"
              isRunning={action.isRunning}
              onConfirm={() => action.act(remove)}
            />
          </span>
        </>
      )}
      <Failure error={action.error} />
    </div>
  );
}

interface NameFormProps {
  /** The title; "" if the conversation has its first words as its name. */
  readonly title: string;
  readonly isRunning: boolean;
  /** Null removes the title. */
  readonly onSave: (title: string | null) => void;
  readonly onClose: () => void;
}

function NameForm({ title, isRunning, onSave, onClose }: NameFormProps) {
  const [name, setName] = useState(title);
  return (
    <form
      class="name-form"
      onSubmit={submitting(() => onSave(name.trim() === "" ? null : name.trim()))}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <input
        type="text"
        aria-label="Name of the conversation"
        placeholder="Empty: its first words"
        ref={(field) => field?.focus()}
        value={name}
        onInput={typed(setName)}
      />
      <button type="submit" class="main" disabled={isRunning}>
        Save
      </button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
}
