// The part of the store's port for messages that agents write to each other.
// Invariant: a message has at most one answer, and an agent's call writes at most one message to each agent. All messages that
// follow from one turn of a user form a chain, whose length is bounded.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { trustForm } from "./records.ts";
import type { CallReference } from "./approval-store.ts";

/** Maximum number of agents that a message is passed on to, one after the other. An answer may go one hop further. */
export const maxHops = 6;

/** Maximum number of messages in a chain. The answer that a call waits for is always accepted. */
export const maxChain = 32;

export const agentMessageFields = {
  id: form.id,
  /** The agent that wrote it, and the conversation in which it did. */
  agentId: form.id,
  conversationId: form.id,
  /** The agent that it is for. */
  toAgentId: form.id,
  /** The conversation that it is sent to; null before that is known. */
  toConversationId: form.nullable(form.id),
  /** The turn that answers it; null while it is queued. */
  turnId: form.nullable(form.id),
  /** The same for all messages that follow from one turn: the id of that turn. */
  chainId: form.id,
  /** 1 for a message in the first turn of the chain, one more for each message that follows from it. */
  hop: form.count,
  /** The number of messages that were left to the chain. */
  budget: form.ordinal,
  /** The agents that wrote the messages from the beginning of the chain to this one. */
  path: form.texts,
  /** The message that it answers; null for none. */
  answers: form.nullable(form.id),
  /** Whether the call that wrote it waits for the answer. */
  waits: form.flag,
  text: form.text,
  trust: trustForm,
  /** `delivered`: a turn answers it. `ended`: nothing follows. */
  status: form.choice("queued", "delivered", "ended"),
  /**
   * How it ended: `answered`, `superseded` (its writer no longer waits), the stop reason of its turn, or the code of an error.
   * Null before.
   */
  outcome: form.nullable(form.text),
  createdAt: form.moment,
  endedAt: form.nullable(form.moment),
};

export const namedMessageFields = {
  ...agentMessageFields,
  /** The names of both agents; the id of an agent that the user cannot use any more. */
  from: form.text,
  to: form.text,
};

/** A message from an agent to an agent. */
export interface AgentMessageRecord extends RecordOf<typeof namedMessageFields> {}

export interface AgentMessageDraft {
  readonly id: string;
  readonly agentId: string;
  /** The call that writes it: repeated for the same agent, it writes nothing. */
  readonly call: CallReference;
  readonly text: string;
  readonly waits: boolean;
  /** The agent that it is for, or the end of the id of the message that it answers. */
  readonly to: { readonly agentId: string } | { readonly token: string };
}

/** Why a message was refused, with the names of the agents concerned. */
export interface MessageRefusal {
  readonly reason: "hops" | "chain" | "cycle" | "budget" | "self" | "token" | "answered";
  readonly names: readonly string[];
}

export type SentAgentMessage = { readonly message: AgentMessageRecord } | { readonly refused: MessageRefusal };

/** A message that has not ended, with what decides what follows. */
export interface OpenAgentMessage extends AgentMessageRecord {
  /** The call that wrote it; null for an answer that is the text of a turn. */
  readonly callMessageId: string | null;
  readonly callId: string | null;
  /** What became of the call: it waits for the answer, it has been answered, neither yet, or its turn has gone on without it. */
  readonly call: "waiting" | "answered" | "pending" | "superseded";
  /** The answer; null for none. */
  readonly answer: Pick<AgentMessageRecord, "id" | "text" | "trust"> | null;
  /**
   * The state of the turn that answers it: no process runs it (`lost`), it waits, or it is over. Without such a turn, `blocked` if
   * the last turn of its conversation waits, otherwise null.
   */
  readonly turn: "running" | "lost" | "waiting" | "over" | "blocked" | null;
  readonly stopReason: string | null;
}

export interface AgentMessageListing {
  readonly limit: number;
  readonly chainId?: string | undefined;
}

export interface AgentMessageStore {
  /**
   * Stores a message that follows from the turn of its call, unless the chain, or the agents that wait, forbid it. Throws
   * RequestError `message_not_found` if the call's message is not in the conversation.
   */
  send(draft: AgentMessageDraft): Promise<SentAgentMessage>;
  /** Returns the messages from and to an agent, newest first. */
  list(agentId: string, listing: AgentMessageListing): Promise<readonly AgentMessageRecord[]>;
  /** Returns the messages that have not ended, oldest first. Records which of them a turn answers. */
  open(): Promise<readonly OpenAgentMessage[]>;
  /** Returns the queued messages to an agent in a conversation, oldest first. Those without a conversation get this one. */
  queued(agentId: string, conversationId: string): Promise<readonly AgentMessageRecord[]>;
  /**
   * Answers a message with the last text of its turn, unless it has an answer. Returns false if the turn has no text or is
   * deleted.
   */
  answerWithTurn(message: AgentMessageRecord, answerId: string): Promise<boolean>;
  /** Records how a message ended. `isReported`: false if the call that waits for an answer has yet to be told. */
  end(id: string, outcome: string, isReported?: boolean): Promise<void>;
}
