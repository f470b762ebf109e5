// Groups the messages between agents by chain, describes the state of each message, and finds the chain of an id in a URL.
// Invariant: pure.
import type { ConversationCall, ConversationMessage } from "../../../store/port/conversation-store.ts";
import type { MessageRefusal } from "../../../store/port/agent-message-store.ts";
import type { messageTools } from "../../../config/settings.ts";
import type { CallResult } from "../../client/api-types.ts";

export type AgentMessage = CallResult<"GET /agents/:agent/messages">[number];

/** All messages that follow from one turn. */
export interface MessageChain {
  readonly id: string;
  /** Oldest first; at least one. */
  readonly messages: readonly AgentMessage[];
}

/** Returns the chains of messages, the one with the newest message first. `messages`: newest first. */
export function chainsOf(messages: readonly AgentMessage[]): readonly MessageChain[] {
  const ids = [...new Set(messages.map(({ chainId }) => chainId))];
  return ids.map((id) => ({ id, messages: inOrder(messages.filter(({ chainId }) => chainId === id)) }));
}

/** Returns messages oldest first. */
export function inOrder(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  const keyOf = ({ createdAt, id }: AgentMessage): string => `${createdAt} ${id}`;
  return messages.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Whether the id in an address is that of the chain, one of its messages, or a turn with such a message as input. */
export function isOfChain({ id, messages }: MessageChain, named: string): boolean {
  return id === named || messages.some((message) => message.id === named || message.turnId === named);
}

/** Returns a message's state as text, and whether it can still change. `messages`: all messages of the chain. */
export function stateOf(message: AgentMessage, messages: readonly AgentMessage[]) {
  const { id, status, outcome, answers } = message;
  const refusal = /^refused-(\w+)$/u.exec(outcome ?? "")?.[1];
  if (refusal !== undefined)
    return { text: `refused: ${refusals[refusal as MessageRefusal["reason"]] ?? refusal}`, isBad: true, isOpen: false };
  const isOpen = status !== "ended";
  if (messages.some((other) => other.answers === id)) return { text: "answered", isBad: false, isOpen };
  if (outcome === "answered") return { text: answers === null ? "answered" : "received", isBad: false, isOpen };
  if (outcome !== null) return { text: `ended: ${outcome}`, isBad: !usualOutcomes.has(outcome), isOpen };
  return { text: status === "queued" ? "waiting" : "read, in a turn", isBad: false, isOpen };
}

const usualOutcomes: ReadonlySet<string> = new Set(["end-turn", "superseded"]);

const refusals: Readonly<Record<MessageRefusal["reason"], string>> = {
  self: "an agent cannot write to itself",
  cycle: "the agents would wait for each other",
  chain: "its receiver has already written in this chain",
  hops: "it was passed on too often",
  budget: "the chain has no messages left",
  token: "no message has the token",
  answered: "the message has an answer already",
};

/** Every tool that writes to another agent. */
const writingTools: Readonly<Record<(typeof messageTools)[number], true>> = {
  message_agent: true,
  reply: true,
  send_message_to_agent_and_wait_for_reply: true,
  send_message_to_agent_async: true,
  send_message_to_agents_matching_tags: true,
};

export function writesToAgent({ name }: Pick<ConversationCall, "name">): boolean {
  return Object.hasOwn(writingTools, name);
}

/** Returns the id of the message between agents that became this input; null for any other message. */
export function sentMessageOf({ idempotencyKey }: Pick<ConversationMessage, "idempotencyKey">): string | null {
  return /^agent-message (\S+)$/u.exec(idempotencyKey ?? "")?.[1] ?? null;
}
