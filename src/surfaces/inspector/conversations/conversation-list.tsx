// Lists the conversations with an agent by their titles or first words, most recently used first.
import { useState } from "preact/hooks";
import { readPages } from "../../../base/lists.ts";
import { ListLink, OlderButton } from "../parts/list-link.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { submitting, typed } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { type Conversation, conversationName } from "./conversation-name.ts";

/** Number of conversations that are loaded at first. */
const firstConversations = 50;

/** Loads the conversations of an agent, most recently used first. `more` loads older ones; it is null if all are loaded. */
export function useConversations(agent: string) {
  const { client } = useSession();
  const [limit, setLimit] = useState(firstConversations);
  const conversations = useLoaded(
    (signal) =>
      readPages(limit, (query) =>
        client.call("GET /agents/:agent/conversations", { params: { agent }, query, signal }),
      ),
    [client, agent, limit],
  );
  const more = (conversations.value?.length ?? 0) >= limit ? () => setLimit(limit * 4) : null;
  return { conversations, more };
}

interface ConversationListProps {
  readonly agent: string;
  readonly conversations: readonly Conversation[];
  readonly chosen: string | undefined;
  /** Loads older conversations; null if all are loaded. */
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
        onSubmit={submitting(() => {
          if (wanted !== "") goTo(agentPlace(agent, "search", [], { kind: "recall", query: words.trim() }));
        })}
      >
        <input
          type="search"
          aria-label="Find a conversation"
          placeholder="Find; Enter: all messages"
          value={words}
          onInput={typed(setWords)}
        />
      </form>
      {shown.length === 0 ? (
        <p class="note">{wanted === "" ? "There is no conversation yet." : "No conversation begins like that."}</p>
      ) : null}
      <ul class="list conversation-list" aria-label="Conversations">
        {shown.map((each) => (
          <ListLink key={each.id} place={agentPlace(agent, "conversations", [each.id])} isChosen={each.id === chosen}>
            <bdi class="name">{conversationName(each)}</bdi>
            <span class="note">
              <Moment at={each.updatedAt} />, {countText(each.messages, "message")}
            </span>
          </ListLink>
        ))}
      </ul>
      <OlderButton onMore={onMore} />
    </section>
  );
}
