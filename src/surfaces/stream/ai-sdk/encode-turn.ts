// Converts the events of a turn to chunks of the AI SDK's UI message stream: one message of the assistant for each turn.
// Invariant: the chunks depend on the events and the options alone. Every started part is ended. A call's result is returned
// only after the call, because a client fails on the result of an unknown call.
import type { AgentEvent, EventOf, StopReason } from "../../../agent/events.ts";
import { foldTurn, lastReply, noTurn, type TurnState } from "../../../agent/fold-turn.ts";
import { callChunks, isHidden, type UiCallOptions } from "./encode-calls.ts";
import type { UiDataParts, UiFinishReason, UiMessageChunk } from "./ui-chunk.ts";

export interface UiEncodeOptions extends UiCallOptions {
  /**
   * Whether to send a chunk that discards what a step has streamed, when the model is called again for this step. Only
   * version 7 of the SDK reads this chunk; default false.
   */
  readonly hasResets?: boolean;
}

export interface UiMessageEncoder {
  /** Applies the next event of the turn, and returns its chunks. */
  read(event: AgentEvent): readonly UiMessageChunk[];
  /** Returns the chunks that end the message, after the last event. */
  end(): readonly UiMessageChunk[];
}

type Chunks = readonly UiMessageChunk[];

/** The state of the stream; `turn` is the state of the turn. */
interface State {
  turn: TurnState;
  isStarted: boolean;
  isInStep: boolean;
  /** The text or reasoning part that is being streamed. */
  open: { readonly kind: "text" | "reasoning"; readonly id: string } | null;
  parts: number;
}

/** Creates an encoder for a turn, from its first event or from the event with which it continues. */
export function createUiMessageEncoder(options: UiEncodeOptions = {}): UiMessageEncoder {
  const state: State = { turn: noTurn, isStarted: false, isInStep: false, open: null, parts: 0 };
  return {
    read(event) {
      const start = event.type === "turn-queued" ? [] : startOf(state, event);
      const before = state.turn;
      state.turn = foldTurn(before, event).turn;
      const read = readers[event.type] as ReadEvent<AgentEvent["type"]>;
      return [...start, ...read(state, event, { before, options })];
    },
    end: () => [...closeStep(state), ...endOf(state.turn)],
  };
}

interface Reading {
  readonly before: TurnState;
  readonly options: UiEncodeOptions;
}

type ReadEvent<Type extends AgentEvent["type"]> = (state: State, event: EventOf<Type>, reading: Reading) => Chunks;

const readers: { readonly [Type in AgentEvent["type"]]: ReadEvent<Type> } = {
  "turn-queued": (_state, { holder, ahead }) => [{ type: "data-queued", data: { holder, ahead }, transient: true }],
  // The event `turn-start` is repeated when a turn continues after a pause, or after its process has ended.
  "turn-start": (state, { replyId }, { before, options }) => {
    const isVoid = replyId !== undefined && replyId !== lastReply(before)?.id && hasStreamed(before);
    const reason = "The process that ran the turn ended.";
    const voided = isVoid ? voidStep(state, options, { step: 0, attempt: 0, delayMs: 0, reason }) : [];
    return [...voided, ...closeStep(state)];
  },
  "step-start": (state, { step, model, window }) => {
    const before = closeStep(state);
    state.isInStep = true;
    const data = { step, model, ...window };
    return [...before, { type: "start-step" }, { type: "data-window", data, transient: true }];
  },
  "text-delta": (state, { text }) => addText(state, "text", text),
  "thought-delta": (state, { text }) => addText(state, "reasoning", text),
  "tool-call": readCall,
  "tool-result": readCall,
  "approval-requested": readRequest,
  "result-requested": readRequest,
  "memory-edit": (_state, { callId, label, before, after, revision, limit }) => {
    const data = { callId, label, before, after, revision, limit };
    return [{ type: "data-memory-edit", id: `${label}:${revision}`, data }];
  },
  "memory-revert": (_state, { edits, passages }) => [{ type: "data-memory-revert", data: { edits, passages } }],
  compaction: (_state, { id, strategy, messages, tokensBefore, tokensAfter, summary }) => {
    const data = { id, strategy, messages, tokensBefore, tokensAfter, summary };
    return [{ type: "data-compaction", id, data }];
  },
  warning: (_state, { code, message }) => [{ type: "data-warning", data: { code, message }, transient: true }],
  retry: (state, { step, attempt, delayMs, reason }, { options }) => {
    return voidStep(state, options, { step, attempt, delayMs, reason });
  },
  "step-end": (state) => closeStep(state),
  "turn-end": (state) => closeStep(state),
};

/** Returns whether a text or call of the reply that is being streamed was already sent. */
function hasStreamed(turn: TurnState): boolean {
  const reply = lastReply(turn);
  if (reply === null || !turn.isStreaming) return false;
  return reply.texts.length > 0 || turn.calls.some(({ replyId }) => replyId === reply.id);
}

function readCall(state: State, event: EventOf<"tool-call" | "tool-result">, { before, options }: Reading): Chunks {
  return isHidden(options, event) ? [] : [...closePart(state), ...callChunks(before, event, options)];
}

function readRequest(
  state: State,
  event: EventOf<"approval-requested" | "result-requested">,
  { before, options }: Reading,
): Chunks {
  return [...closePart(state), ...callChunks(before, event, options)];
}

/** Returns the chunks that discard what the step has streamed. */
function voidStep(state: State, { hasResets = false }: UiEncodeOptions, data: UiDataParts["retry"]): Chunks {
  const before = closePart(state);
  if (hasResets) return [...before, { type: "reset-step" }, { type: "data-retry", data, transient: true }];
  return [...before, { type: "data-retry", id: `retry-${state.parts}`, data }];
}

function startOf(state: State, { agentId, conversationId, turnId }: AgentEvent): Chunks {
  if (state.isStarted) return [];
  state.isStarted = true;
  return [{ type: "start", messageId: turnId, messageMetadata: { agentId, conversationId, turnId } }];
}

function addText(state: State, kind: "text" | "reasoning", delta: string): Chunks {
  if (delta === "") return [];
  if (state.open?.kind === kind) return [{ type: `${kind}-delta`, id: state.open.id, delta }];
  const before = closePart(state);
  state.parts += 1;
  const id = `${kind}-${state.parts}`;
  state.open = { kind, id };
  return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
}

function closePart(state: State): Chunks {
  const { open } = state;
  if (open === null) return [];
  state.open = null;
  return [{ type: `${open.kind}-end`, id: open.id }];
}

function closeStep(state: State): Chunks {
  const before = closePart(state);
  if (!state.isInStep) return before;
  state.isInStep = false;
  return [...before, { type: "finish-step" }];
}

const finishReasons: Readonly<Record<StopReason, UiFinishReason>> = {
  "end-turn": "stop",
  "tool-rule": "stop",
  length: "length",
  refusal: "content-filter",
  "awaiting-approval": "tool-calls",
  "awaiting-result": "tool-calls",
  "awaiting-reply": "other",
  "max-steps": "other",
  budget: "other",
  interrupted: "other",
  "model-error": "error",
  "context-overflow": "error",
};

/** Returns the chunks that report the end of the turn. A client stops reading at an error, so the error is last. */
function endOf({ end }: TurnState): Chunks {
  if (end === null) return [];
  const { stopReason, steps, usage, error } = end;
  const code = error === undefined ? {} : { errorCode: error.code };
  return [
    ...(stopReason === "interrupted" ? [{ type: "abort", reason: "interrupted" } as const] : []),
    {
      type: "finish",
      finishReason: finishReasons[stopReason],
      messageMetadata: { stopReason, steps, usage, ...code },
    },
    ...(error === undefined ? [] : [{ type: "error", errorText: error.message } as const]),
  ];
}
