// Chooses a conversation of an agent for a view: the one in the address, or else the one used last.
import type { ComponentChildren } from "preact";
import { agoText } from "../parts/number-text.ts";
import { Shown } from "../parts/shown.tsx";
import { agentPlace, type AgentView } from "../session/place.ts";
import { goTo } from "../session/use-place.ts";
import { useConversations } from "./conversation-list.tsx";
import { conversationName } from "./conversation-name.ts";

interface ConversationChoiceProps {
  readonly agent: string;
  readonly chosen: string | undefined;
  readonly view: AgentView;
  readonly children: (id: string) => ComponentChildren;
}

export function ConversationChoice({ agent, chosen, view, children }: ConversationChoiceProps) {
  const { conversations, more } = useConversations(agent);
  return (
    <Shown loaded={conversations}>
      {(found) => {
        const id = chosen ?? found[0]?.id;
        if (id === undefined) return <p>There is no conversation yet.</p>;
        return (
          <>
            <div class="actions">
              <select
                aria-label="Conversation"
                class="wide"
                value={id}
                onChange={(event) => goTo(agentPlace(agent, view, [event.currentTarget.value]))}
              >
                {found.some((each) => each.id === id) ? null : <option value={id}>{id}</option>}
                {found.map((each) => (
                  <option key={each.id} value={each.id}>
                    {conversationName(each)} ({agoText(each.updatedAt, Date.now())})
                  </option>
                ))}
              </select>
              {more === null ? null : (
                <button type="button" class="quiet" onClick={more}>
                  List older ones
                </button>
              )}
            </div>
            {children(id)}
          </>
        );
      }}
    </Shown>
  );
}
