// The name of a conversation, with the buttons that rename and delete the conversation.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { submitting, useChange } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";
import { type Conversation, conversationName } from "./conversation-name.ts";

interface ConversationHeadProps {
  readonly agent: string;
  readonly conversation: Conversation;
  readonly onChange: () => void;
}

export function ConversationHead({ agent, conversation, onChange }: ConversationHeadProps) {
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
        onInput={(event) => setName(event.currentTarget.value)}
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
