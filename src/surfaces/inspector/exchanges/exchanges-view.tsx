// What an agent and others have written to each other: the chains of messages, and the messages of the chosen one.
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { beginningOf, visibleText } from "../parts/visible-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useEvery } from "../session/use-every.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { loadChain } from "./load-chain.ts";
import { type AgentMessage, chainsOf, isOfChain, type MessageChain, stateOf } from "./message-chain.ts";

interface ExchangesViewProps {
  readonly agent: string;
  /** The id of the chosen chain, or of a message or a turn in it; can be absent. */
  readonly path: readonly string[];
}

/** Number of messages that are read at first. */
const firstMessages = 200;

export function ExchangesView({ agent, path: [chosen] }: ExchangesViewProps) {
  const { client } = useSession();
  const [limit, setLimit] = useState(firstMessages);
  const messages = useLoaded(
    (signal) => client.call("GET /agents/:agent/messages", { params: { agent }, query: { limit }, signal }),
    [client, agent, limit],
  );
  useEvery(messages.reload);
  return (
    <>
      <h1>Exchanges</h1>
      <Shown loaded={messages}>
        {(found) => {
          const chains = chainsOf(found);
          const chain = chosen === undefined ? chains[0] : chains.find((each) => isOfChain(each, chosen));
          const id = chain?.id ?? chosen;
          if (id === undefined) return <NoExchange />;
          return (
            <div class={chosen === undefined ? "columns" : "columns chosen"}>
              <ChainList
                agent={agent}
                chains={chains}
                chosen={id}
                onMore={found.length >= limit ? () => setLimit(limit * 4) : null}
              />
              <section class="chosen-only detail" aria-label="Exchange">
                <a class="back" href={addressOf(agentPlace(agent, "exchanges"))}>
                  ← All exchanges
                </a>
                <ChainMessages key={id} agent={agent} chain={id} />
              </section>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function NoExchange() {
  return (
    <div class="empty">
      <p>This agent and others have not written to each other.</p>
      <p>
        An agent with the tools <code>message_agent</code> and <code>reply</code> can write to your other agents.
      </p>
    </div>
  );
}

interface ChainListProps {
  readonly agent: string;
  readonly chains: readonly MessageChain[];
  readonly chosen: string;
  /** Reads older messages; null if all are read. */
  readonly onMore: (() => void) | null;
}

function ChainList({ agent, chains, chosen, onMore }: ChainListProps) {
  return (
    <section class="choice-list" aria-label="Exchanges of the agent">
      <ul class="list conversation-list" aria-label="Exchanges">
        {chains.map(({ id, messages }) => (
          <li key={id}>
            <a
              class="list-item"
              href={addressOf(agentPlace(agent, "exchanges", [id]))}
              aria-current={id === chosen ? "true" : undefined}
              data-item
            >
              <bdi class="name">{nameOf(messages[0]!)}</bdi>
              <span class="note">
                <Moment at={messages.at(-1)!.createdAt} />, {countText(messages.length, "message")}{" "}
                {messages.some((each) => stateOf(each, messages).isOpen) ? <span class="mark">open</span> : null}
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

/** Returns the name of the chain that a message begins. */
function nameOf({ from, to, text }: AgentMessage): string {
  return `${visibleText(from)} → ${visibleText(to)}: ${beginningOf(visibleText(text), 100)}`;
}

/** Shows the messages of a chain, also those between other agents. */
function ChainMessages({ agent, chain }: { readonly agent: string; readonly chain: string }) {
  const { client } = useSession();
  const loaded = useLoaded((signal) => loadChain(client, { agent, chainId: chain }, signal), [client, agent, chain]);
  useEvery(loaded.reload);
  return (
    <Shown loaded={loaded}>
      {(messages) =>
        messages.length === 0 ? (
          <p class="note">No message is stored here: none was sent, or it is older than the listed ones.</p>
        ) : (
          <ol class="rows" aria-label="Messages">
            {messages.map((message) => (
              <ExchangedMessage key={message.id} message={message} messages={messages} />
            ))}
          </ol>
        )
      }
    </Shown>
  );
}

interface ExchangedMessageProps {
  readonly message: AgentMessage;
  /** All messages of the chain. */
  readonly messages: readonly AgentMessage[];
}

function ExchangedMessage({ message, messages }: ExchangedMessageProps) {
  const { agentId, conversationId, from, toAgentId, toConversationId, to, hop, budget, answers, waits } = message;
  const state = stateOf(message, messages);
  return (
    <li class="row" tabIndex={-1} data-item>
      <Icon name="exchanges" />
      <div class="row-text">
        <p>
          <ConversationLink agent={agentId} conversation={conversationId} name={from} /> →{" "}
          <ConversationLink agent={toAgentId} conversation={toConversationId} name={to} />{" "}
          <span class={state.isBad ? "mark bad" : "mark"}>{state.text}</span> <TrustMark trust={message.trust} />
        </p>
        <PlainText text={message.text} length={2000} />
        <p class="note">
          {answers === null ? "message" : "answer"}, <Moment at={message.createdAt} />, hop {hop},{" "}
          {countText(budget, "message")} left
          {waits && state.isOpen ? "; its writer waits for the answer" : ""}
        </p>
      </div>
    </li>
  );
}

interface ConversationLinkProps {
  readonly agent: string;
  /** Null if the message has no conversation yet, or never had one. */
  readonly conversation: string | null;
  readonly name: string;
}

function ConversationLink({ agent, conversation, name }: ConversationLinkProps) {
  return (
    <a href={addressOf(agentPlace(agent, "conversations", conversation === null ? [] : [conversation]))}>
      <PlainText text={name} length={60} isInline />
    </a>
  );
}
