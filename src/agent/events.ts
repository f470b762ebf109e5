// Defines the events that a turn emits. The terminal, the JSON stream and the tests all consume them.
// Invariant: a turn yields one `turn-start` first and one `turn-end` last, and `sequence` increases by one; a turn that
// is continued after its end (approved, resumed, retried) continues with the next number. A turn that has to wait
// yields one `turn-queued` before `turn-start`.
import type { ErrorCode } from "../base/errors.ts";
import type { FilePart } from "../base/message/file-part.ts";
import type { CompactionStrategy } from "../store/port/records.ts";
import type { PrintedOutput, Usage } from "../base/message/message.ts";

export type StopReason =
  | "end-turn"
  | "max-steps"
  | "budget"
  | "length"
  | "refusal"
  | "interrupted"
  /** A rule of the agent ended the turn after a tool's result. */
  | "tool-rule"
  | "awaiting-approval"
  | "awaiting-result"
  /** A call waits for the reply of another agent, after which the turn continues by itself. */
  | "awaiting-reply"
  | "model-error"
  | "context-overflow";

/** The stop reasons of a turn that pauses until a decision or an answer continues it. */
export type WaitReason = Extract<StopReason, "awaiting-approval" | "awaiting-result" | "awaiting-reply">;

const waitReasons: ReadonlySet<StopReason> = new Set<WaitReason>([
  "awaiting-approval",
  "awaiting-result",
  "awaiting-reply",
]);

/** Returns whether a turn with this stop reason pauses, and may continue with further events. */
export function isWait(reason: StopReason): reason is WaitReason {
  return waitReasons.has(reason);
}

/** Fields of every event. `sequence` is unique in the turn and counts from 1; 0 for `turn-queued`, which is not stored. */
export interface EventHeader {
  readonly agentId: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly sequence: number;
}

export type EventBody =
  /** The turn waits. `holder` describes the process of the running turn; `ahead` counts the inputs that run first. */
  | { readonly type: "turn-queued"; readonly holder: string | null; readonly ahead: number }
  /**
   * `replyId`: in a turn that continues or is regenerated, the id of the last stored reply that remains valid; null for
   * none. Discard everything that the turn emitted after that reply.
   */
  | {
      readonly type: "turn-start";
      readonly messageId: string;
      readonly replyId?: string | null;
      readonly files?: readonly FilePart[];
    }
  /** `messageId`: the id that the reply will have when it is stored. */
  | {
      readonly type: "step-start";
      readonly step: number;
      readonly messageId: string;
      readonly model: string;
      readonly window: WindowUsage;
    }
  /** Text for the user. */
  | { readonly type: "text-delta"; readonly step: number; readonly text: string }
  /** Text that is not for the user: the model's thoughts, and all plain text in the heartbeat protocol. */
  | { readonly type: "thought-delta"; readonly step: number; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: "tool-result";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly status: "ok" | "failed";
      readonly text: string;
      readonly files?: readonly FilePart[];
      /** The printed output of a Python tool, or of the caller's code for a client tool. */
      readonly printed?: PrintedOutput;
    }
  /**
   * The call runs when the user approves it; the turn ends with `awaiting-approval`. `arguments` is JSON, `preview`
   * describes what the call would do (null for a tool without a preview), `expiresAt` is ISO 8601. Emitted for each
   * waiting call whenever the turn pauses.
   */
  | {
      readonly type: "approval-requested";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      readonly preview: string | null;
      readonly expiresAt: string | null;
    }
  /**
   * The caller must run this tool call, which waits for its result; the turn ends with `awaiting-result`, or
   * `awaiting-approval` if another call waits for approval. `arguments` is JSON. Emitted for each waiting call whenever the
   * turn pauses.
   */
  | {
      readonly type: "result-requested";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    }
  /** A committed change of one module. `limit` counts code points. `callId`: null if no tool call made the change. */
  | {
      readonly type: "memory-edit";
      readonly step: number;
      readonly callId: string | null;
      readonly label: string;
      readonly before: string;
      readonly after: string;
      readonly revision: number;
      readonly limit: number;
    }
  /** `retry` or `regenerate` reverted memory edits, because their calls' messages were removed. `edits`: newest first. */
  | {
      readonly type: "memory-revert";
      readonly edits: readonly RevertedEdit[];
      readonly passages: readonly { readonly id: string; readonly text: string }[];
    }
  | {
      readonly type: "compaction";
      readonly id: string;
      readonly strategy: CompactionStrategy;
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly summary: string;
    }
  | { readonly type: "warning"; readonly code: WarningCode; readonly message: string }
  /** The model call is repeated: discard the text that this step emitted so far. */
  | {
      readonly type: "retry";
      readonly step: number;
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | { readonly type: "step-end"; readonly step: number; readonly usage: Usage }
  | {
      readonly type: "turn-end";
      readonly stopReason: StopReason;
      /** All text shown to the user in this turn. */
      readonly text: string;
      readonly steps: number;
      readonly usage: Usage;
      readonly error?: TurnFailure;
    };

/** Why a turn failed. */
export interface TurnFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** The provider of a model whose call failed. */
  readonly provider?: string;
}

export type WarningCode =
  | "memory-pressure"
  | "summary-failed"
  | "summary-clipped"
  | "calls-recovered"
  | "inputs-recovered"
  | "approval-superseded"
  | "scratchpad-failed"
  | "facts-not-kept"
  | "passages-evicted"
  | "lookup-incomplete";

/** An edit that was reverted: the module contains `before` again. */
export interface RevertedEdit {
  readonly label: string;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
}

/** The tokens in the window at the start of a step, and the window's limit. */
export interface WindowUsage {
  readonly tokens: number;
  readonly limit: number;
}

export type AgentEvent = EventHeader & EventBody;
export type AgentEventType = AgentEvent["type"];
export type EventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
export type TurnEnd = Extract<AgentEvent, { readonly type: "turn-end" }>;
