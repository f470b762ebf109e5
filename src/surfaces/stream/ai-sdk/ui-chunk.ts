// Types of the chunks of the AI SDK's UI message stream, version 1, to which a turn is converted.
import type { AgentEvent, StopReason } from "../../../agent/events.ts";
import type { Usage } from "../../../base/message/message.ts";

/** The facts about a turn in the assistant's message. `stopReason`, `steps` and `usage` are sent when the turn has ended. */
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
  /** A committed edit of core memory. */
  "memory-edit": Pick<
    Extract<AgentEvent, { readonly type: "memory-edit" }>,
    "callId" | "label" | "before" | "after" | "revision"
  > & {
    /** The module's limit in code points. Absent in messages that are read from the store. */
    readonly limit?: number;
  };
  /** The edits and passages that were reverted because their answer is generated again. */
  "memory-revert": Pick<Extract<AgentEvent, { readonly type: "memory-revert" }>, "edits" | "passages">;
  compaction: Pick<
    Extract<AgentEvent, { readonly type: "compaction" }>,
    "id" | "strategy" | "messages" | "tokensBefore" | "tokensAfter" | "summary"
  >;
  /** The model is called again for this step: discard the parts of the step that were sent before. */
  retry: Pick<Extract<AgentEvent, { readonly type: "retry" }>, "step" | "attempt" | "delayMs" | "reason">;
  /** The fullness of the window when a step begins. `window`, `warning` and `queued` are transient. */
  window: { readonly step: number; readonly model: string; readonly tokens: number; readonly limit: number };
  warning: Pick<Extract<AgentEvent, { readonly type: "warning" }>, "code" | "message">;
  queued: Pick<Extract<AgentEvent, { readonly type: "turn-queued" }>, "holder" | "ahead">;
}

export type UiDataChunk = {
  [Name in keyof UiDataParts]: {
    readonly type: `data-${Name}`;
    readonly id?: string;
    readonly data: UiDataParts[Name];
    readonly transient?: boolean;
  };
}[keyof UiDataParts];

/** The fields that chunks about a call share. */
export interface UiCallFacts {
  readonly toolCallId: string;
  /** Whether the agent runs the tool; absent if the client does. */
  readonly providerExecuted?: boolean;
  readonly dynamic?: boolean;
}

/** A chunk, to be sent as JSON. */
export type UiMessageChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: UiMessageMetadata }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  /** Only version 7 of the AI SDK reads this chunk. */
  | { readonly type: "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown } & UiCallFacts)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      /** The tool's description of what the call would do, and the time when the call expires and counts as denied. */
      readonly approvalDescriptor: { readonly preview: string | null; readonly expiresAt: string | null };
    }
  | ({ readonly type: "tool-output-available"; readonly output: unknown } & UiCallFacts)
  | ({ readonly type: "tool-output-error"; readonly errorText: string } & UiCallFacts)
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | UiDataChunk
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "finish"; readonly finishReason: UiFinishReason; readonly messageMetadata: UiMessageMetadata }
  | { readonly type: "error"; readonly errorText: string };
