// The part of the store's port for messages that agents write to each other.
// Invariant: a message has at most one answer, and a tool call writes at most one message to each agent. All messages
// that follow from one turn of a user form a chain of limited length.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { trustForm } from "./records.ts";
import type { CallReference } from "./approval-store.ts";

/** Maximum hops of a message in a chain, from agent to agent. An answer may have one hop more. */
export const maxHops = 6;

/** Maximum number of messages in a chain. An answer for which a call waits is accepted even above this number. */
export const maxChain = 32;

export const agentMessageFields = {
  id: form.id,
  /** The agent that wrote the message, and the conversation in which the agent wrote it. */
  agentId: form.id,
  conversationId: form.id,
  /** The agent that receives the message. */
  toAgentId: form.id,
  /** The conversation that receives the message; null before one is known. */
  toConversationId: form.nullable(form.id),
  /** The turn that has the message as input and answers it; null while the message is queued. */
  turnId: form.nullable(form.id),
  /** The id of the turn from which all messages of the chain follow. */
  chainId: form.id,
  /** 1 for a message from the chain's first turn; each message that follows from another has one more. */
  hop: form.count,
  /** Number of further messages that the chain may get after this one. */
  budget: form.ordinal,
  /** The ids of the agents that wrote the chain's messages from the first one to this one. */
  path: form.texts,
  /** The message that this message answers; null for none. */
  answers: form.nullable(form.id),
  /** Whether the call that wrote the message waits for an answer. */
  waits: form.flag,
  text: form.text,
  trust: trustForm,
  /** `queued`: no turn has the message as input yet. `delivered`: a turn has it as input. `ended`: its outcome is final. */
  status: form.choice("queued", "delivered", "ended"),
  /**
   * How the message ended: `answered`, `superseded` (its writer no longer waits), the stop reason of the turn that
   * received it, or an error code. `refused-REASON`, with the reason of a MessageRefusal: the message was not sent and does
   * not count in its chain. Null until the outcome is known.
   */
  outcome: form.nullable(form.text),
  createdAt: form.moment,
  endedAt: form.nullable(form.moment),
};

export const namedMessageFields = {
  ...agentMessageFields,
  /** The names of the writing and the receiving agent; the agent's id if the user has no grant for it any more. */
  from: form.text,
  to: form.text,
};

/** A message from an agent to an agent. */
export interface AgentMessageRecord extends RecordOf<typeof namedMessageFields> {}

export interface AgentMessageDraft {
  readonly id: string;
  readonly agentId: string;
  /** The tool call that writes the message. If it runs again, for the same receiver, no second message is written. */
  readonly call: CallReference;
  readonly text: string;
  readonly waits: boolean;
  /** The agent that receives the message; or, for an answer, the last characters of the id of the answered message. */
  readonly to: { readonly agentId: string } | { readonly token: string };
}

/** Why a message was refused, with the names of the agents concerned. */
export interface MessageRefusal {
  readonly reason: "hops" | "chain" | "cycle" | "budget" | "self" | "token" | "answered";
  readonly names: readonly string[];
}

export type SentAgentMessage = { readonly message: AgentMessageRecord } | { readonly refused: MessageRefusal };

/** A message that has not ended, with the states of the call that wrote it and of the turn that received it. */
export interface OpenAgentMessage extends AgentMessageRecord {
  /** The call that wrote the message; null for the text of a turn that was stored as an answer. */
  readonly callMessageId: string | null;
  readonly callId: string | null;
  /** State of the call that wrote the message. `superseded`: the call failed, was interrupted, or is on another branch. */
  readonly call: "waiting" | "answered" | "pending" | "superseded";
  /** The answer; null for none. */
  readonly answer: Pick<AgentMessageRecord, "id" | "text" | "trust"> | null;
  /**
   * State of the turn that has the message as input. `waiting`: a call of the turn waits, has not timed out, and the
   * conversation is open. `lost`: no process runs the turn. `blocked`: the message has no turn yet, because the last turn of
   * its conversation waits. Null: the message has no turn yet, and a turn can begin.
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
   * Stores a message that a tool call writes, or returns why the message is refused. Throws RequestError `message_not_found`
   * if the call's message is not in the conversation, and `lease_lost` without the conversation's lease.
   */
  send(draft: AgentMessageDraft): Promise<SentAgentMessage>;
  /** Returns the messages from and to an agent, newest first. */
  list(agentId: string, listing: AgentMessageListing): Promise<readonly AgentMessageRecord[]>;
  /** Marks queued messages as `delivered` if a turn has received them. Returns all that have not ended, oldest first. */
  open(): Promise<readonly OpenAgentMessage[]>;
  /** Assigns the agent's queued messages without a conversation to this conversation. Returns its queue, oldest first. */
  queued(agentId: string, conversationId: string): Promise<readonly AgentMessageRecord[]>;
  /**
   * Stores the last text of a message's turn as the answer, unless the message has an answer. Returns false if the turn
   * has no text or is deleted.
   */
  answerWithTurn(message: AgentMessageRecord, answerId: string): Promise<boolean>;
  /** Records how a message ended. `isReported`: false if the waiting call must still receive the outcome as its result. */
  end(id: string, outcome: string, isReported?: boolean): Promise<void>;
}
