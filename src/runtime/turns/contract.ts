// Defines the operations on stored turns, and the list of calls that wait for approval, in all conversations.
// Invariant: each operation acts for the runtime's user only. This file checks types only.
import type { AgentEvent, StopReason } from "../../agent/events.ts";
import { readOptions, turnNotes } from "../../agent/turn-options.ts";
import { form, type Form, type OptionsOf, optionsOf } from "../../base/arguments/forms.ts";
import { type StoredMessage, storedMessageFields } from "../../store/port/records.ts";
import { approvalFields, type ApprovalRecord } from "../../store/port/approval-store.ts";
import {
  type TurnRecord,
  turnFields,
  turnStates,
  type TurnStep,
  turnStepFields,
} from "../../store/port/turn-record-store.ts";
import { chat, type Contract, listFields, ofKey, optionalOptions, optionsNamed, read, value } from "../contract.ts";

export { approvalFields, pendingResultFields } from "../../store/port/approval-store.ts";

const turnListFields = {
  ...listFields,
  /** The name or the id of an agent. */
  agent: form.text,
  conversation: form.id,
  states: form.list(turnStates),
  stopReason: form.text as Form<StopReason>,
  isBackground: form.flag,
};

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export interface TurnListOptions extends OptionsOf<typeof turnListFields> {}

/** Like `TurnListOptions`, but the default order is `oldest`. */
export interface StepListOptions extends OptionsOf<typeof listFields> {}

const agentStepListFields = {
  ...listFields,
  /** Only the model calls of this conversation. */
  conversation: form.id,
};

/** Like `StepListOptions`, with a filter. */
export interface AgentStepListOptions extends OptionsOf<typeof agentStepListFields> {}

const turnEventOptions = {
  ...readOptions,
  /** The id of the conversation. */
  conversation: form.text,
  /** The name or the id of the agent that the conversation must belong to. Default: any agent. */
  agent: form.text,
  ...ofKey,
};

export interface TurnEventOptions extends OptionsOf<typeof turnEventOptions, "conversation"> {}

/** Notes that the caller of a turn stores with it. */
export interface TurnNotes extends OptionsOf<typeof turnNotes> {}

/** Operations on tool calls that wait for the user's approval. */
export interface ApprovalOperations {
  /**
   * Returns the tool calls that wait for the user's approval, oldest first. To decide about a call, open its conversation
   * and use `agent.approve` or `agent.deny`.
   */
  list(agent: string): Promise<readonly ApprovalRecord[]>;
}

/** Functions throw RequestError `turn_not_found` or `step_not_found` for an unknown id of a turn or a step. */
export interface TurnOperations {
  /** Returns one page. For the next page, pass the id of the last turn as `after`. Throws RequestError `input_invalid`. */
  list(options?: TurnListOptions): Promise<readonly TurnRecord[]>;
  /** Returns a turn. A turn with an input can be found once the input is stored; a turn without input, once it ends. */
  find(turnId: string): Promise<TurnRecord>;
  /** Returns the turn of the input with this idempotency key; null if the conversation never had such an input. */
  findByKey(conversationId: string, idempotencyKey: string): Promise<TurnRecord | null>;
  /** Replaces the given notes of a turn. Throws RequestError `turn_not_found` also for a turn that is still queued. */
  annotate(turnId: string, notes: TurnNotes): Promise<TurnRecord>;
  /** Returns the messages of a turn, oldest first, including those that are no longer on the thread. */
  messages(turnId: string): Promise<readonly StoredMessage[]>;
  /** Returns the model calls of a turn, with their usage. */
  steps(turnId: string, options?: StepListOptions): Promise<readonly TurnStep[]>;
  /** Returns the model calls of an agent, or of all agents for null, in all conversations or in one. */
  stepsOfAgent(agent: string | null, options?: AgentStepListOptions): Promise<readonly TurnStep[]>;
  findStep(stepId: string): Promise<TurnStep>;
  /**
   * Reads the stored events of a turn like `agent.events`, without opening its agent. Throws RequestError
   * `conversation_not_found` and `turn_not_found` and, with `agent`, the errors of `agents.find`.
   */
  events(turnId: string, options: TurnEventOptions): AsyncGenerator<AgentEvent, void>;
}

const id = value("turnId", form.id);
const agent = value("agent", form.text);

export const turnContract = {
  list: {
    args: [optionalOptions(turnListFields)],
    http: read("GET /turns", "List turns of all conversations, newest first", [turnFields]),
  },
  find: { args: [id], http: read("GET /turns/:turn", "Get a turn", turnFields) },
  findByKey: {
    args: [value("conversationId", form.id), value("idempotencyKey", form.text)],
    http: read(
      "GET /agents/:agent/conversations/:conversation/keyed-turns/:key",
      "Get the turn of the input with an idempotency key; null if there was none",
      form.nullable(form.record(turnFields)),
    ),
  },
  annotate: {
    args: [id, optionsNamed("notes", turnNotes)],
    http: chat("PATCH /turns/:turn", "Store the client's own data with a turn", turnFields),
  },
  messages: {
    args: [id],
    http: read("GET /turns/:turn/messages", "List the messages of a turn, oldest first", [storedMessageFields]),
  },
  steps: {
    args: [id, optionalOptions(listFields)],
    http: read("GET /turns/:turn/steps", "List the model calls of a turn, oldest first", [turnStepFields]),
  },
  stepsOfAgent: {
    args: [value("agent", form.nullable(form.text)), optionalOptions(agentStepListFields)],
    http: read("GET /agents/:agent/steps", "List the model calls of an agent in all conversations, oldest first", [
      turnStepFields,
    ]),
  },
  findStep: {
    args: [value("stepId", form.id)],
    http: read("GET /steps/:step", "Get a model call", turnStepFields),
  },
  events: {
    args: [id, { name: "options", check: optionsOf(turnEventOptions, { required: ["conversation"] }) }],
    http: "`GET …/turns/:turn/events` also continues a turn whose process has ended.",
    isImmediate: true,
  },
} as const satisfies Contract<TurnOperations>;

export const approvalContract = {
  list: {
    args: [agent],
    http: read("GET /agents/:agent/approvals", "List the tool calls that wait for approval, oldest first", [
      approvalFields,
    ]),
  },
} as const satisfies Contract<ApprovalOperations>;
