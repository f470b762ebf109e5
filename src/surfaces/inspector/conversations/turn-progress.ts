// A turn while it runs, from its events.
// Invariant: pure; the same events give the same progress, and text of a call that is repeated is discarded.
import type { AgentEvent } from "../../../agent/events.ts";

export interface ProgressCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: "running" | "ok" | "failed" | "waiting";
  readonly result: string | null;
}

export interface ProgressEdit {
  readonly label: string;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
}

export interface TurnProgress {
  readonly step: number;
  /** Text and thoughts of the current step. */
  readonly text: string;
  readonly thought: string;
  /** The text of earlier steps. */
  readonly said: string;
  readonly calls: readonly ProgressCall[];
  readonly edits: readonly ProgressEdit[];
  readonly notes: readonly string[];
  readonly window: { readonly tokens: number; readonly limit: number } | null;
  /** Why the turn ended; null while it runs. */
  readonly stopReason: string | null;
  readonly error: string | null;
}

export const noProgress: TurnProgress = {
  step: 0,
  text: "",
  thought: "",
  said: "",
  calls: [],
  edits: [],
  notes: [],
  window: null,
  stopReason: null,
  error: null,
};

export function progressAfter(progress: TurnProgress, event: AgentEvent): TurnProgress {
  switch (event.type) {
    case "step-start":
      return { ...progress, step: event.step, said: joined(progress), text: "", thought: "", window: event.window };
    case "text-delta":
      return { ...progress, text: progress.text + event.text };
    case "thought-delta":
      return { ...progress, thought: progress.thought + event.text };
    case "retry":
      return {
        ...progress,
        text: "",
        thought: "",
        notes: [...progress.notes, `Attempt ${event.attempt}: ${event.reason}`],
      };
    case "turn-end":
      return { ...progress, stopReason: event.stopReason, error: event.error?.message ?? null };
    default:
      return withCall(progress, event) ?? withNote(progress, event);
  }
}

function joined({ said, text }: TurnProgress): string {
  return [said, text].filter((part) => part !== "").join("\n\n");
}

/** Null for an event that is about no call. */
function withCall(progress: TurnProgress, event: AgentEvent): TurnProgress | null {
  const { calls } = progress;
  const others = "callId" in event ? calls.filter(({ callId }) => callId !== event.callId) : calls;
  switch (event.type) {
    case "tool-call": {
      const { callId, name, arguments: given } = event;
      return { ...progress, calls: [...others, { callId, name, arguments: given, status: "running", result: null }] };
    }
    case "approval-requested":
    case "result-requested": {
      const { callId, name, arguments: given } = event;
      return { ...progress, calls: [...others, { callId, name, arguments: given, status: "waiting", result: null }] };
    }
    case "tool-result": {
      const { callId, name, status, text } = event;
      const known = calls.find((call) => call.callId === callId);
      const ended = { callId, name, arguments: known?.arguments ?? "", status, result: text };
      return {
        ...progress,
        calls: known === undefined ? [...calls, ended] : calls.map((call) => (call === known ? ended : call)),
      };
    }
    default:
      return null;
  }
}

function withNote(progress: TurnProgress, event: AgentEvent): TurnProgress {
  const noted = (note: string): TurnProgress => ({ ...progress, notes: [...progress.notes, note] });
  switch (event.type) {
    case "memory-edit": {
      const { label, revision, before, after } = event;
      return { ...progress, edits: [...progress.edits, { label, revision, before, after }] };
    }
    case "memory-revert":
      return noted(`Reverted: ${event.edits.map(({ label }) => label).join(", ")}`);
    case "compaction":
      return noted(`Compaction: ${event.messages} messages, ${event.tokensBefore} to ${event.tokensAfter} tokens`);
    case "warning":
      return noted(event.message);
    case "turn-queued":
      return noted(`Waits for ${event.holder ?? "another turn"}; ${event.ahead} before it`);
    default:
      return progress;
  }
}
