// Defines the functions of an open agent: an agent in one conversation, as front ends and scripts use it.
// Invariant: one turn at a time; every change of the conversation is made by these functions and is committed before it
// is reported.
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { UndoneRevision, UndoOptions } from "../memory/core/undo-edit.ts";
import type { AgentRecord, CompactionRecord, StoredMessage } from "../store/port/records.ts";
import type { BranchRecord } from "../store/port/conversation-store.ts";
import type { ApprovalRecord, PendingResult } from "../store/port/approval-store.ts";
import type { LoggedStep } from "../store/port/step-store.ts";
import type { ModelPrice } from "../base/message/message.ts";
import type { OutputSchema } from "../tool/output-schema.ts";
import type {
  CompactionResult,
  CompiledWindow,
  EditedReply,
  RevertedMemory,
  SideAnswer,
  ToolDescription,
  UndoneCompaction,
} from "./agent-results.ts";
import type { AgentEvent, TurnEnd, WindowUsage } from "./events.ts";
import type {
  CallResult,
  ReadOptions,
  SendOptions,
  SentMessages,
  StartedTurn,
  TurnEvents,
  TurnOptions,
} from "./turn-options.ts";

/**
 * What happens to the memory edits of tool calls when their messages are removed. `revert`: the edits are reverted and the
 * passages deleted; if later edits depend on them, DependentEditsError is thrown and nothing changes. `force`: the dependent
 * edits are reverted as well. `keep`: memory does not change.
 */
export type RevertMode = "revert" | "keep" | "force";

export interface RevertOptions {
  /** What happens to the memory edits of the removed messages; default `revert`. */
  readonly memory?: RevertMode;
  /**
   * The id of the last message in the window that the caller has read; null: the window was empty. If the window now ends
   * with another message, because another process has written, RequestError `agent_busy` is thrown, with nothing changed.
   */
  readonly lastMessageId?: string | null;
}

export interface CompactOptions {
  /** The topic that the summary must keep above all, at most 1,000 characters. */
  readonly focus?: string;
  readonly signal?: AbortSignal;
}

export type AgentFunctions = {
  readonly [Name in keyof Agent as Agent[Name] extends (...args: never[]) => unknown ? Name : never]: Agent[Name];
};

export interface Agent {
  readonly record: AgentRecord;
  readonly userId: string;
  readonly conversationId: string;
  /** The messages in the window, oldest first. */
  readonly messages: readonly StoredMessage[];
  /**
   * A copy of the current core memory: edits of the copy are not saved. `runtime.memory` and the model's tools change
   * core memory.
   */
  readonly memory: BaseMemory;
  /** The names of the agent's tools, as sent to the model. */
  readonly tools: readonly string[];
  /** Returns the agent's tools with their descriptions, and whether their calls wait for approval. */
  describeTools(): readonly ToolDescription[];
  /** The price of the agent's model, in dollars per million tokens; null if it is not configured. */
  readonly price: ModelPrice | null;
  /** How full the window is. */
  readonly window: WindowUsage;
  /** Returns the request that the model would get now, with a report on the window. */
  context(): CompiledWindow;
  /** Returns the conversation's last model calls, newest first (default 20), each with the report of its window. */
  steps(limit?: number): Promise<readonly LoggedStep[]>;
  /** Returns one of the conversation's model calls by number, from 1. Throws RequestError `step_not_found`. */
  step(ordinal: number): Promise<LoggedStep>;
  /**
   * Runs a turn like `send`. The answer must fit a schema, and `turn-end` contains its value as `output`. If the answer
   * does not fit, the model is asked once more, in a second turn. Throws RequestError `output_invalid` if the second
   * answer does not fit either, or if a turn ends without an answer (a refusal, a limit, a call that waits), and
   * `input_invalid` for a schema that cannot be used.
   */
  send<Value>(
    input: string | SentMessages,
    options: SendOptions & { readonly output: OutputSchema<Value> },
  ): TurnEvents<TurnEnd & { readonly output: Value }>;
  /**
   * Runs one turn that answers a text, or several messages. Throws RequestError, before anything is written:
   * `input_invalid` for blank text without files, no messages, two messages with one key, or a budget or a number of
   * steps below its minimum; `file_unreadable`, `file_invalid` or `file_too_large` for files that cannot be attached;
   * `input_repeated` for a repeated idempotency key if the events of its turn are no longer stored; `agent_busy` if
   * another process's turn takes longer than `waitMs`. Throws `lease_lost` if another process takes over the
   * conversation during the turn: committed steps stay. Throws ConfigError for a budget in dollars if the model's price
   * is not configured.
   */
  send(input: string | SentMessages, options?: SendOptions): TurnEvents;
  /**
   * Runs a turn like `send`, in the background. Resolves once its input is stored in the conversation or, while another
   * turn runs, in the conversation's queue. There, the input waits without a limit unless `waitMs` is given. The
   * result's `events` yields the turn's events. For repeated idempotency keys, returns the turn of the first input with
   * these keys. Throws the same errors as `send`.
   */
  start(input: string | SentMessages, options?: SendOptions): Promise<StartedTurn>;
  /**
   * Yields the events of a turn of this conversation. The turn may run in another process, or be over. Ends when the
   * turn ends. If a killed or waiting turn is continued later, its event numbers continue. Events are stored for
   * `keepEventsMinutes` minutes. Throws RequestError `turn_not_found`.
   */
  events(turnId: string, options?: ReadOptions): AsyncGenerator<AgentEvent, void>;
  /**
   * Stops the conversation's running turn, in whichever process runs it: within a second, the turn ends with
   * `interrupted`, and its streamed text is kept. Returns false if no turn runs; queued messages stay in the queue.
   */
  stop(): Promise<boolean>;
  /**
   * Ends an ephemeral conversation: stops the running turn, and deletes the conversation with its content. Closing the
   * runtime ends all open ephemeral conversations. Does nothing for a stored conversation.
   */
  close(): Promise<void>;
  /**
   * Continues a turn that a killed process, an outage or an interruption ended early. Throws RequestError
   * `nothing_to_resume` if the last turn is complete, `approval_pending` if it waits for approval. With `turnId`,
   * continues only that turn, or begins it if its input is still in the queue; absent options are those of the turn's
   * original call. With `turnId`, also throws `nothing_to_resume` if a later turn exists, and `turn_abandoned` if the
   * turn's processes have ended too often.
   */
  resume(options?: TurnOptions & { readonly turnId?: string }): TurnEvents;
  /** Whether the last turn ended early and can be resumed. */
  readonly unfinished: boolean;
  /**
   * The calls of the last reply that wait for approval, in their order. Their turn ended with `awaiting-approval`. The calls
   * survive a restart.
   */
  readonly pendingApprovals: readonly ApprovalRecord[];
  /**
   * The calls of client tools that wait for a result. Their turn ended with `awaiting-result`, or with `awaiting-approval` if
   * other calls wait for approval. The calls survive a restart.
   */
  readonly pendingResults: readonly PendingResult[];
  /**
   * Approves a waiting call, runs it with the given arguments or the model's, and continues the turn if no other call waits.
   * Throws RequestError `approval_not_found`, or `input_invalid` for arguments that do not match the tool's schema, with
   * nothing written.
   */
  approve(
    callId: string,
    options?: TurnOptions & { readonly arguments?: Readonly<Record<string, unknown>> },
  ): TurnEvents;
  /**
   * Stores the results of calls of client tools, all or none, and continues the turn if no other call waits. Throws
   * RequestError `result_not_awaited` for a call that does not wait for a result, or `input_invalid` for no results or two for
   * one call, with nothing written.
   */
  answer(results: readonly CallResult[], options?: TurnOptions): TurnEvents;
  /**
   * Denies a waiting call, reports this and the reason to the model, and continues the turn. Throws RequestError
   * `approval_not_found`, with nothing written.
   */
  deny(callId: string, options?: TurnOptions & { readonly reason?: string }): TurnEvents;
  /**
   * Runs one turn without a user message, like MemGPT's /heartbeat and /memorywarning. `heartbeat` returns control to
   * the model; `memory-warning` warns the model that the window is filling up, so that the model saves important facts.
   * Recall does not find the event. Throws RequestError `approval_pending` while a call waits, with nothing written.
   * Otherwise throws the same errors as `send`.
   */
  raise(event: "heartbeat" | "memory-warning", options?: TurnOptions): TurnEvents;
  /**
   * Makes the answer to the last user message a branch, and runs the turn again. A `memory-revert` event reports the
   * reverted memory edits. Throws DependentEditsError if later edits depend on these edits.
   */
  retry(options?: TurnOptions & RevertOptions): TurnEvents;
  /**
   * Runs the turn again from any message of the thread, even one that has left the window. For a user message,
   * regenerates the whole answer; for a reply, that reply and the steps after it. The later messages become a branch.
   * `retry` does this for the last user message. Throws RequestError `message_not_found` for a message that is not on
   * the thread, `message_refused` for a tool result or an event, and DependentEditsError, with nothing changed.
   */
  regenerate(messageId: string, options?: TurnOptions & RevertOptions): TurnEvents;
  /** Returns the leaves of the conversation's tree: the current leaf first, then the others, newest first. */
  branches(): Promise<readonly BranchRecord[]>;
  /**
   * Moves the conversation to a message of its tree, usually the end of a branch, or to before the first message
   * (null), and reloads the window. Memory does not change: edits made on a branch stay, and reverted edits stay
   * reverted. Throws RequestError `message_not_found`, and `message_refused` if the next message is a tool result,
   * because its call would lose the result.
   */
  switchTo(messageId: string | null): Promise<void>;
  /**
   * Removes the last `count` messages (default 3) from the window and from recall, and reverts the memory changes of their
   * tool calls. Removes a few more messages if needed, because a call and its results stay together. Throws RequestError
   * `pop_refused` if the window has too few messages, and DependentEditsError, with nothing changed.
   */
  pop(count?: number, options?: RevertOptions): Promise<RevertedMemory>;
  /**
   * Removes older messages from the window now, with the agent's strategy. A turn that waits or was interrupted stays. Throws
   * RequestError `summary_refused` if there are too few messages, and `input_invalid` for a focus that is too long.
   */
  compact(options?: CompactOptions): Promise<CompactionResult>;
  /**
   * Removes all messages and summaries from the window, without summarizing them; they stay in the conversation and in recall.
   * `undoCompaction` restores them. A turn that waits or was interrupted stays in the window. Returns null if nothing was
   * removed.
   */
  clearWindow(): Promise<CompactionResult | null>;
  /**
   * Undoes the newest compaction in the window: restores its messages and the summaries before it. If they do not fit, the
   * next turn compacts the window again. Throws RequestError `undo_refused` if there is no compaction, or if retention has
   * dropped messages to restore.
   */
  undoCompaction(): Promise<UndoneCompaction>;
  /** Returns the conversation's compactions, newest first, including undone and superseded ones. Default limit: 50. */
  compactions(limit?: number): Promise<readonly CompactionRecord[]>;
  /**
   * Replaces the text of the last reply to the user, like MemGPT's /rewrite. The original stays as a branch. The memory
   * changes of the reply's calls stay, and a later `pop` or `retry` reverts them. Throws RequestError `message_refused`
   * if there is no last reply or it has no text for the user, and `input_invalid` for a blank text, with nothing
   * changed.
   */
  rewrite(text: string, options?: Pick<RevertOptions, "lastMessageId">): Promise<EditedReply>;
  /**
   * Replaces the thought of the last reply, like MemGPT's /rethink. A changed thought is not sent to a provider that signs
   * thoughts. Throws the same errors as `rewrite`.
   */
  rethink(text: string, options?: Pick<RevertOptions, "lastMessageId">): Promise<EditedReply>;
  /**
   * Answers a question from the current window. The question and the answer are not stored, no tool runs, and the tokens
   * are not part of any step. May be called during a turn. Throws RequestError `input_invalid` for a blank question,
   * `context_overflow` if the question does not fit the window, `message_refused` if the model returns no answer, and
   * ModelError.
   */
  ask(question: string, options?: { readonly signal?: AbortSignal }): Promise<SideAnswer>;
  /** Reverts an edit of core memory, like `runtime.memory.undo`, and updates `memory`. */
  undoEdit(label?: string, options?: UndoOptions): Promise<UndoneRevision | null>;
}
