// Chooses a conversation of an agent for a view: the one in the address, or else the one used last.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { agoText } from "../parts/number-text.ts";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace, type AgentView } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { conversationName } from "./conversation-name.ts";

interface ConversationChoiceProps {
  readonly agent: string;
  readonly chosen: string | undefined;
  readonly view: AgentView;
  readonly children: (id: string) => ComponentChildren;
}

const firstConversations = 50;

export function ConversationChoice({ agent, chosen, view, children }: ConversationChoiceProps) {
  const { client } = useSession();
  const [limit, setLimit] = useState(firstConversations);
  const conversations = useLoaded(
    (signal) => client.call("GET /agents/:agent/conversations", { params: { agent }, query: { limit }, signal }),
    [client, agent, limit],
  );
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
              {found.length >= limit ? (
                <button type="button" class="quiet" onClick={() => setLimit(limit * 4)}>
                  List older ones
                </button>
              ) : null}
            </div>
            {children(id)}
          </>
        );
      }}
    </Shown>
  );
}
