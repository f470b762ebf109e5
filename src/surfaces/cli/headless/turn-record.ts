// The state of a turn after the events so far, as headless mode reports it.
// Invariant: pure; a record is built only from events and their times.
import type { AgentEvent, StopReason } from "../../../agent/events.ts";
import { addUsage, noUsage, type Usage } from "../../../base/message/message.ts";

export interface EditRecord {
  readonly label: string;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
  readonly limit: number;
  /** Null for an edit without a tool call. */
  readonly callId: string | null;
}

export interface TurnRecord {
  readonly turnId: string | null;
  /** The model of the last step. */
  readonly model: string | null;
  readonly steps: number;
  readonly usage: Usage;
  /** Total milliseconds from the start of each model call until its reply was stored. */
  readonly modelMs: number;
  /** Start time of the running model call; null if none runs. */
  readonly callBegan: number | null;
  readonly text: string;
  /** Null while the turn has not ended. */
  readonly stopReason: StopReason | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly edits: readonly EditRecord[];
  /** The calls that the turn waits for. */
  readonly approvals: readonly Pick<ApprovalRequested, "callId" | "name" | "arguments" | "preview" | "expiresAt">[];
}

type ApprovalRequested = Extract<AgentEvent, { type: "approval-requested" }>;

export const emptyTurn: TurnRecord = {
  turnId: null,
  model: null,
  steps: 0,
  usage: noUsage,
  modelMs: 0,
  callBegan: null,
  text: "",
  stopReason: null,
  error: null,
  edits: [],
  approvals: [],
};

/** Returns the record after one more event at the time `now`, in milliseconds. */
export function recordEvent(turn: TurnRecord, event: AgentEvent, now: number): TurnRecord {
  return withEvent(afterReply(turn, event, now), event, now);
}

/** The first of these events after `step-start` marks the stored reply, or the end without one. */
const replied: readonly AgentEvent["type"][] = [
  "tool-call",
  "approval-requested",
  "result-requested",
  "step-end",
  "turn-end",
];

function afterReply(turn: TurnRecord, event: AgentEvent, now: number): TurnRecord {
  if (turn.callBegan === null || !replied.includes(event.type)) return turn;
  return { ...turn, modelMs: turn.modelMs + (now - turn.callBegan), callBegan: null };
}

function withEvent(turn: TurnRecord, event: AgentEvent, now: number): TurnRecord {
  switch (event.type) {
    case "turn-start":
      return { ...turn, turnId: event.turnId };
    case "step-start":
      return { ...turn, model: event.model, steps: event.step, callBegan: now };
    case "step-end":
      return { ...turn, usage: addUsage(turn.usage, event.usage) };
    case "memory-edit": {
      const { label, revision, before, after, limit, callId } = event;
      return { ...turn, edits: [...turn.edits, { label, revision, before, after, limit, callId }] };
    }
    case "approval-requested": {
      const { callId, name, arguments: asked, preview, expiresAt } = event;
      return { ...turn, approvals: [...turn.approvals, { callId, name, arguments: asked, preview, expiresAt }] };
    }
    case "turn-end": {
      const { stopReason, text, steps, usage, error = null } = event;
      return { ...turn, stopReason, text, steps, usage, error };
    }
    default:
      return turn;
  }
}
