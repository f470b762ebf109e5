// Shows what an agent and other agents have written to each other: the chains of messages, and the chosen chain.
import { useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/create-client.ts";
import { Icon } from "../parts/icon.tsx";
import { ListLink, OlderButton } from "../parts/list-link.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { beginningOf, visibleText } from "../parts/visible-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useEvery } from "../session/use-every.ts";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { type AgentMessage, chainsOf, inOrder, isOfChain, type MessageChain, stateOf } from "./message-chain.ts";

interface ExchangesViewProps {
  readonly agent: string;
  /** The id of the chosen chain, or of a message or a turn in it; can be absent. */
  readonly path: readonly string[];
}

/** Number of messages that are read at first. */
const firstMessages = 200;

export function ExchangesView({ agent, path: [chosen] }: ExchangesViewProps) {
  const [limit, setLimit] = useState(firstMessages);
  const messages = useCall("GET /agents/:agent/messages", { params: { agent }, query: { limit } });
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
          <ListLink key={id} place={agentPlace(agent, "exchanges", [id])} isChosen={id === chosen}>
            <bdi class="name">{nameOf(messages[0]!)}</bdi>
            <span class="note">
              <Moment at={messages.at(-1)!.createdAt} />, {countText(messages.length, "message")}{" "}
              {messages.some((each) => stateOf(each, messages).isOpen) ? <span class="mark">open</span> : null}
            </span>
          </ListLink>
        ))}
      </ul>
      <OlderButton onMore={onMore} />
    </section>
  );
}

/** Returns the name of the chain that a message begins. */
function nameOf({ from, to, text }: AgentMessage): string {
  return `${visibleText(from)} → ${visibleText(to)}: ${beginningOf(visibleText(text), 100)}`;
}

/** Shows the messages of a chain, including those between other agents. */
function ChainMessages({ agent, chain }: { readonly agent: string; readonly chain: string }) {
  const { client } = useSession();
  const loaded = useLoaded((signal) => loadChain(client, { agent, chainId: chain }, signal), [client, agent, chain]);
  useEvery(loaded.reload);
  return (
    <Shown loaded={loaded} empty="No message is stored here: none was sent, or it is older than the listed ones.">
      {(messages) => (
        <ol class="rows" aria-label="Messages">
          {messages.map((message) => (
            <ExchangedMessage key={message.id} message={message} messages={messages} />
          ))}
        </ol>
      )}
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

/** Maximum messages of one agent in a chain that are read. A chain has at most 32 messages that were not refused. */
const chainLimit = 500;

interface ChainPlace {
  /** The id or the name of an agent in the chain. */
  readonly agent: string;
  readonly chainId: string;
}

/** Resolves to a chain's messages that the key may read, oldest first. Reads the messages of every agent in the chain. */
async function loadChain(
  client: Client,
  { agent, chainId }: ChainPlace,
  signal: AbortSignal,
): Promise<readonly AgentMessage[]> {
  const messages = new Map<string, AgentMessage>();
  // An iteration over a set includes the agents that are added meanwhile.
  const agents = new Set([agent]);
  for (const each of agents) {
    const read = client.call("GET /agents/:agent/messages", {
      params: { agent: each },
      query: { chainId, limit: chainLimit },
      signal,
    });
    const found = each === agent ? await read : await read.catch(noneIfHidden);
    for (const message of found) {
      messages.set(message.id, message);
      agents.add(message.agentId).add(message.toAgentId);
    }
  }
  return inOrder([...messages.values()]);
}

/** Returns no messages if the agent was deleted, or if the key is limited to another agent. Rethrows any other error. */
function noneIfHidden(error: unknown): readonly AgentMessage[] {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return [];
  throw error;
}
