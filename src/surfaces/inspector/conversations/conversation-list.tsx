// The conversations with an agent, the one used last first, by their titles or first words.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";
import { type Conversation, conversationName } from "./conversation-name.ts";

interface ConversationListProps {
  readonly agent: string;
  readonly conversations: readonly Conversation[];
  readonly chosen: string | undefined;
  /** Loads more; null if all are there. */
  readonly onMore: (() => void) | null;
}

export function ConversationList({ agent, conversations, chosen, onMore }: ConversationListProps) {
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const shown = conversations.filter((each) => conversationName(each).toLowerCase().includes(wanted));
  return (
    <section class="choice-list" aria-label="Conversations of the agent">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== "") goTo(agentPlace(agent, "search", [], { kind: "recall", query: words.trim() }));
        }}
      >
        <input
          type="search"
          aria-label="Find a conversation"
          placeholder="Find; Enter searches all messages"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </form>
      {shown.length === 0 ? (
        <p class="note">{wanted === "" ? "There is no conversation yet." : "No conversation begins like that."}</p>
      ) : null}
      <ul class="list conversation-list" aria-label="Conversations">
        {shown.map((each) => (
          <li key={each.id}>
            <a
              class="list-item"
              href={addressOf(agentPlace(agent, "conversations", [each.id]))}
              aria-current={each.id === chosen ? "true" : undefined}
              data-item
            >
              <bdi class="name">{conversationName(each)}</bdi>
              <span class="note">
                <Moment at={each.updatedAt} />, {countText(each.messages, "message")}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {onMore === null ? null : (
        <button type="button" class="quiet" onClick={onMore}>
          List older ones
        </button>
      )}
    </section>
  );
}

interface ConversationHeadProps {
  readonly agent: string;
  readonly conversation: Conversation;
  readonly onChange: () => void;
}

/** The name of a conversation, which can be changed, and its deletion, which is asked for twice. */
export function ConversationHead({ agent, conversation, onChange }: ConversationHeadProps) {
  const { client } = useSession();
  const action = useAction();
  const [title, setTitle] = useState<string | null>(null);
  const params = { agent, conversation: conversation.id };
  const rename = (given: string) =>
    action.run(async () => {
      const body = { title: given.trim() === "" ? null : given.trim() };
      await client.call("PATCH /agents/:agent/conversations/:conversation", { params, body });
      setTitle(null);
      onChange();
    });
  const remove = () =>
    action.run(async () => {
      await client.call("DELETE /agents/:agent/conversations/:conversation", { params });
      goTo(agentPlace(agent, "conversations"));
      onChange();
    });
  return (
    <>
      {title === null ? (
        <div class="title-row calm">
          <h2>
            <bdi>{conversationName(conversation)}</bdi>
          </h2>
          <span class="row-actions">
            <button type="button" class="quiet" onClick={() => setTitle(conversation.title ?? "")}>
              <Icon name="edit" /> Rename
            </button>
            <ConfirmedButton
              icon="remove"
              label="Delete"
              question="Delete with its messages?"
              isRunning={action.isRunning}
              onConfirm={remove}
            />
          </span>
        </div>
      ) : (
        <TitleForm title={title} isRunning={action.isRunning} onChange={setTitle} onSave={() => rename(title)} />
      )}
      <Failure error={action.error} />
    </>
  );
}

interface TitleFormProps {
  readonly title: string;
  readonly isRunning: boolean;
  /** Null: the title stays as it is. */
  readonly onChange: (title: string | null) => void;
  readonly onSave: () => void;
}

function TitleForm({ title, isRunning, onChange, onSave }: TitleFormProps) {
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <input
        type="text"
        aria-label="Title"
        placeholder="its first words"
        value={title}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <button type="submit" class="main" disabled={isRunning}>
        Save
      </button>
      <button type="button" onClick={() => onChange(null)}>
        Cancel
      </button>
    </form>
  );
}
