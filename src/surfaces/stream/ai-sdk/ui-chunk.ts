// The chunks of the AI SDK's UI message stream, version 1, that a turn is encoded as.
// Invariant: versions 6 and 7 of the SDK read every chunk here, unless its comment names one of them.
import type { AgentEvent, StopReason } from "../../../agent/events.ts";
import type { Usage } from "../../../base/message/message.ts";

/** What a message of the assistant says about its turn. `stopReason`, `steps` and `usage` come with the end. */
export interface UiMessageMetadata {
  readonly agentId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly stopReason?: StopReason;
  readonly steps?: number;
  readonly usage?: Usage;
  /** The code of the failure that ended the turn. */
  readonly errorCode?: string;
}

export type UiFinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** The contents of data parts, by the name of the part without `data-`. */
export interface UiDataParts {
  /** An edit of core memory that is committed. */
  "memory-edit": Pick<
    Extract<AgentEvent, { readonly type: "memory-edit" }>,
    "callId" | "label" | "before" | "after" | "revision"
  > & {
    /** In code points. Absent in messages that are read from the store. */
    readonly limit?: number;
  };
  /** What was reverted, because its answer is given again. */
  "memory-revert": Pick<Extract<AgentEvent, { readonly type: "memory-revert" }>, "edits" | "passages">;
  compaction: Pick<
    Extract<AgentEvent, { readonly type: "compaction" }>,
    "id" | "strategy" | "messages" | "tokensBefore" | "tokensAfter" | "summary"
  >;
  /** The model is called again: the parts of this step that precede this one do not count. */
  retry: Pick<Extract<AgentEvent, { readonly type: "retry" }>, "step" | "attempt" | "delayMs" | "reason">;
  /** How full the window is when a step begins. Transient, as the following ones. */
  window: { readonly step: number; readonly model: string; readonly tokens: number; readonly limit: number };
  warning: Pick<Extract<AgentEvent, { readonly type: "warning" }>, "code" | "message">;
  queued: Pick<Extract<AgentEvent, { readonly type: "turn-queued" }>, "holder" | "ahead">;
}

/** A data part, as a chunk. */
export type UiDataChunk = {
  [Name in keyof UiDataParts]: {
    readonly type: `data-${Name}`;
    readonly id?: string;
    readonly data: UiDataParts[Name];
    readonly transient?: boolean;
  };
}[keyof UiDataParts];

/** What chunks about a call have in common. */
export interface UiCallFacts {
  readonly toolCallId: string;
  /** The agent runs the tool. Absent for a tool that the client runs. */
  readonly providerExecuted?: boolean;
  readonly dynamic?: boolean;
}

/** A chunk, to be sent as JSON. */
export type UiMessageChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: UiMessageMetadata }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  /** Only version 7 reads it. */
  | { readonly type: "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown } & UiCallFacts)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      /** What the call would do, in the words of its tool, and when it counts as denied. */
      readonly approvalDescriptor: { readonly preview: string | null; readonly expiresAt: string | null };
    }
  | ({ readonly type: "tool-output-available"; readonly output: unknown } & UiCallFacts)
  | ({ readonly type: "tool-output-error"; readonly errorText: string } & UiCallFacts)
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | UiDataChunk
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "finish"; readonly finishReason: UiFinishReason; readonly messageMetadata: UiMessageMetadata }
  | { readonly type: "error"; readonly errorText: string };
