// An agent in one conversation, as a front end or a script holds it.
// Invariant: one turn at a time; every change of the conversation goes through here and is committed before it is told.
import type { FileInput } from "../message/file-part.ts";
import type { ContextReport } from "../memory/context-report.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { UndoneRevision, UndoOptions } from "../memory/core/undo-edit.ts";
import type {
  AgentRecord,
  ApprovalRecord,
  BranchRecord,
  CompactionRecord,
  CompactionStrategy,
  RevisionRecord,
  StoredMessage,
} from "../memory/records.ts";
import type { PassageRecord } from "../memory/passage-store.ts";
import type { LoggedStep } from "../memory/step-store.ts";
import type { Message, ModelPrice, Usage } from "../message/message.ts";
import type { AgentEvent, WindowUsage } from "./events.ts";

export interface SendOptions {
  /** Files that go with the text. Each is stored, or refused, before anything is written. */
  readonly files?: readonly FileInput[];
  /** The same key is taken once: a retried call with it adds no second message. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** How long to wait while somebody else steps the conversation, in milliseconds. Default: the runtime's `wait`. */
  readonly waitMs?: number;
  /** In place of the agent's `maxTurnTokens` and `maxTurnDollars`, for this turn; null lifts a limit. */
  readonly budget?: { readonly tokens?: number | null; readonly dollars?: number | null };
  /** In place of the agent's `maxSteps`, for this turn: 1 or more. */
  readonly maxSteps?: number;
}

/** What can be said of everything that steps the conversation. */
export type TurnOptions = Omit<SendOptions, "idempotencyKey" | "files">;

/**
 * What happens to memory edits when the messages whose tool calls made them are removed. `revert`: their edits and
 * passages go with them, or nothing happens where later edits stand on theirs. `force`: those later edits go as well.
 * `keep`: memory stays as it is.
 */
export type RevertMode = "revert" | "keep" | "force";

export interface RevertOptions {
  /** Default `revert`. */
  readonly memory?: RevertMode;
}

/** What was removed and reverted, in one transaction. */
export interface RevertedMemory {
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  /** Edits of core memory, newest first. */
  readonly edits: readonly RevisionRecord[];
  /** Passages of the archive that nobody else had added. */
  readonly passages: readonly PassageRecord[];
}

/** What a compaction did; tokens are those of the summaries and messages in the window. */
export interface CompactionResult {
  readonly id: string;
  readonly strategy: CompactionStrategy;
  /** How many left the window. */
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Empty when there is none: by the strategy, or because the summarizer failed. */
  readonly summary: string;
  /** What went wrong, a sentence each; empty when nothing did. */
  readonly warnings: readonly string[];
}

export interface CompactOptions {
  /** What the summary is to keep above all, in at most 1,000 characters. */
  readonly focus?: string;
  readonly signal?: AbortSignal;
}

/** What came back into the window; tokens are those of its summaries and messages. */
export interface UndoneCompaction {
  /** Oldest first: one, or those of a ring that were made with it. */
  readonly compactions: readonly CompactionRecord[];
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** A tool of an agent. */
export interface ToolDescription {
  readonly name: string;
  /** As the model is told it. */
  readonly description: string;
  /** Whether its calls wait for the user: by its definition, by the agent's setting `approvals`, or not. */
  readonly approval: "always" | "setting" | "never";
}

export interface SideAnswer {
  readonly text: string;
  readonly usage: Usage;
}

/** Other words in the last reply. */
export interface EditedReply {
  /** Of the message that has them; the one before is on a branch. */
  readonly messageId: string;
  readonly before: string;
  readonly after: string;
}

/** A request to the model, but for its tools. */
export interface CompiledWindow {
  readonly system: { readonly instructions: string; readonly memory: string };
  readonly messages: readonly Message[];
  /** What was looked up for the last message; follows the history without being part of it. "" for nothing. */
  readonly retrieved: string;
  /** The runtime's state block, which ends the request. */
  readonly state: string;
  readonly report: ContextReport;
}

export interface Agent {
  readonly record: AgentRecord;
  readonly userId: string;
  readonly conversationId: string;
  /** The messages in the window, oldest first. */
  readonly messages: readonly StoredMessage[];
  /** Core memory as it stands. Change it by `runtime.memory`, or let the model do it. */
  readonly memory: BaseMemory;
  /** The names of its tools, as the model is told of them. */
  readonly tools: readonly string[];
  /** The same with what they are for, and whether their calls wait for approval. */
  describeTools(): readonly ToolDescription[];
  /** What the tokens of its model cost, in dollars per million; null when that is not configured. */
  readonly price: ModelPrice | null;
  /** How full the window is. */
  readonly window: WindowUsage;
  /** What the model would be sent now, and how that fills the window. */
  context(): CompiledWindow;
  /** The conversation's last model calls, newest first (default 20), each with the report of its window. */
  steps(limit?: number): Promise<readonly LoggedStep[]>;
  /** One of its model calls, the first being 1. Throws RequestError `step_not_found`. */
  step(ordinal: number): Promise<LoggedStep>;
  /**
   * One turn. Throws RequestError `input_invalid` for blank text without files, a budget or a number of steps below the least,
   * and `file_unreadable`, `file_invalid` or `file_too_large` for files that cannot be attached, before anything is written,
   * `input_repeated` for an idempotency key that this conversation has had, and `agent_busy`, with nothing written, when
   * somebody else stepped the conversation for longer than the wait. `lease_lost` when somebody else took it over meanwhile:
   * what was committed by then stays. ConfigError for a budget in dollars where the model's price is not known.
   */
  send(text: string, options?: SendOptions): AsyncGenerator<AgentEvent, void>;
  /**
   * Goes on with a turn that was broken off, by a killed process, an outage or an interruption.
   * Throws RequestError `nothing_to_resume` when the last turn came to its end, `approval_pending` when it waits.
   */
  resume(options?: TurnOptions): AsyncGenerator<AgentEvent, void>;
  /** Whether the last turn was broken off, so that there is something to resume. */
  readonly unfinished: boolean;
  /** The call for whose approval the last turn waits, or none. The turn ended with `awaiting-approval`; a restart changes nothing. */
  readonly pendingApprovals: readonly ApprovalRecord[];
  /**
   * Lets a call run that waits for approval, and the turn go on from there; with other arguments, if given.
   * Throws RequestError `approval_not_found`, or `input_invalid` for arguments that do not fit the tool; nothing is written then.
   */
  approve(
    callId: string,
    options?: TurnOptions & { readonly arguments?: Readonly<Record<string, unknown>> },
  ): AsyncGenerator<AgentEvent, void>;
  /** Tells the model that the user denied the call, and why; the turn goes on. Throws as `approve` does. */
  deny(callId: string, options?: TurnOptions & { readonly reason?: string }): AsyncGenerator<AgentEvent, void>;
  /**
   * One turn without a message, after MemGPT's /heartbeat and /memorywarning. `heartbeat` hands control to the model;
   * `memory-warning` tells it that the window is filling up, so that it saves what matters. The event is no message: recall
   * does not find it. Throws RequestError `approval_pending` while a call waits, with nothing written, and else as `send`.
   */
  raise(event: "heartbeat" | "memory-warning", options?: TurnOptions): AsyncGenerator<AgentEvent, void>;
  /**
   * Removes the answer to the last user message, which becomes a branch, and runs the turn again. A `memory-revert` event
   * reports the memory edits that were reverted. Throws DependentEditsError, as `pop`.
   */
  retry(options?: TurnOptions & RevertOptions): AsyncGenerator<AgentEvent, void>;
  /**
   * Answers again from any message of the thread, also one that has left the window: a user's message is answered anew, a
   * reply is made anew from what stands above it. What came after becomes a branch, as with `retry`, which is this for the
   * last user's message. Throws RequestError `message_not_found` for a message that is not on the thread,
   * `message_refused` for a tool's result or an event, and DependentEditsError; then nothing was changed.
   */
  regenerate(messageId: string, options?: TurnOptions & RevertOptions): AsyncGenerator<AgentEvent, void>;
  /** Returns the ends of the conversation's tree: the current one first, then newest first. */
  branches(): Promise<readonly BranchRecord[]>;
  /**
   * Moves the conversation to a message of its tree, usually the end of a branch, and reads the window again. Memory does
   * not change: edits made on a branch stay, and reverted edits stay reverted. Throws RequestError
   * `message_not_found`, and `message_refused` for a message that a tool's result follows: the call would lose it.
   */
  switchTo(messageId: string): Promise<void>;
  /**
   * Takes the last `count` messages (default 3) out of the window and out of recall, and what their tool calls did to
   * memory with them. A call leaves together with its results, so it may be a few more.
   * Throws RequestError `pop_refused` when fewer than two would be left, and DependentEditsError; then nothing was changed.
   */
  pop(count?: number, options?: RevertOptions): Promise<RevertedMemory>;
  /**
   * Takes older messages out of the window now, by the agent's strategy. Throws RequestError `summary_refused` when there are
   * too few, and `input_invalid` for a focus that is too long.
   */
  compact(options?: CompactOptions): Promise<CompactionResult>;
  /**
   * Undoes the newest compaction in the window: its messages are in the window again, and older summaries as they were. What
   * is too much for the window leaves it again with the next turn. Throws RequestError `undo_refused` when there is none, or
   * when retention has dropped messages that would come back.
   */
  undoCompaction(): Promise<UndoneCompaction>;
  /** The conversation's compactions, newest first, the undone and the superseded too. Default limit: 50. */
  compactions(limit?: number): Promise<readonly CompactionRecord[]>;
  /**
   * Puts other words into the last reply, after MemGPT's /rewrite: what it says to the user. What it said before stays as a
   * branch. What its calls did to memory is not touched, and stays bound to the reply: `pop` and `retry` take it back. Throws
   * RequestError `message_refused` where the last reply says nothing to the user, or there is none, and `input_invalid` for
   * a blank text; then nothing was changed.
   */
  rewrite(text: string): Promise<EditedReply>;
  /**
   * The same for what the last reply thought, after MemGPT's /rethink. A provider that signs thoughts is not sent one that was
   * changed. Throws as `rewrite`.
   */
  rethink(text: string): Promise<EditedReply>;
  /**
   * An answer to a question from what stands in the window now, beside the conversation: nothing of it is kept, no tool is run,
   * and its tokens are in no step. Can be asked while a turn goes on. Throws RequestError `input_invalid` for a blank question,
   * `context_overflow` where there is no room for it, `message_refused` where the model gave no answer, and ModelError.
   */
  ask(question: string, options?: { readonly signal?: AbortSignal }): Promise<SideAnswer>;
  /** As `runtime.memory.undo`; the agent sees it at once. */
  undoEdit(label?: string, options?: UndoOptions): Promise<UndoneRevision | null>;
}
