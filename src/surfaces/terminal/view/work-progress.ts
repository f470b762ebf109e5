// Computes the progress of the current work: its duration, the tokens of its replies, and how long the model has been silent.
// Invariant: pure; times are milliseconds of the chat's clock. The tokens of a running reply are an estimate.
import type { AgentEvent } from "../../../agent/events.ts";
import { lastReply, type TurnState } from "../../../agent/fold-turn.ts";
import { secondsLabel } from "../rows/labels.ts";

export interface WorkProgress {
  readonly startedMs: number;
  /** Output tokens of the finished steps. */
  readonly tokens: number;
  /** Characters of the running step's reply so far. */
  readonly characters: number;
  /** Time at which the model was called or last sent something; null while nothing is expected from the model. */
  readonly heardMs: number | null;
}

/** Milliseconds of silence after which the chat says that the model does not answer. */
const stallMs = 5_000;
/** The usual ratio for English text, for an estimate that the reported number replaces at the end of the step. */
const charactersPerToken = 4;

export function startedProgress(startedMs: number): WorkProgress {
  return { startedMs, tokens: 0, characters: 0, heardMs: null };
}

/** Returns the progress after an event that arrived at `nowMs`. `turn`: the turn after the event. */
export function progressAfter(
  progress: WorkProgress,
  event: AgentEvent,
  { turn, nowMs }: { readonly turn: TurnState; readonly nowMs: number },
): WorkProgress {
  const next = { ...progress, characters: streamedLength(turn) };
  switch (event.type) {
    case "step-start":
    case "text-delta":
    case "thought-delta":
      return { ...next, heardMs: nowMs };
    case "retry":
      return { ...next, heardMs: nowMs + event.delayMs };
    case "step-end": {
      const tokens = progress.tokens + (event.usage.outputTokens || estimatedTokens(progress));
      return { ...next, tokens, heardMs: null };
    }
    case "tool-call":
    case "turn-end":
      return { ...next, heardMs: null };
    default:
      return next;
  }
}

function streamedLength(turn: TurnState): number {
  const texts = turn.isStreaming ? (lastReply(turn)?.texts ?? []) : [];
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the texts beside the activity, such as `12 s` and `340 tokens`. Each is null while there is nothing to show. */
export function progressTexts(progress: WorkProgress, nowMs: number) {
  const elapsedMs = nowMs - progress.startedMs;
  const tokens = progress.tokens + estimatedTokens(progress);
  const silentMs = progress.heardMs === null ? 0 : nowMs - progress.heardMs;
  return {
    time: elapsedMs < 1000 ? null : secondsLabel(elapsedMs),
    tokens: tokens === 0 ? null : `${tokens.toLocaleString("en")} token${tokens === 1 ? "" : "s"}`,
    stall: silentMs < stallMs ? null : `no answer for ${secondsLabel(silentMs)}`,
  };
}

function estimatedTokens({ characters }: WorkProgress): number {
  return Math.ceil(characters / charactersPerToken);
}
