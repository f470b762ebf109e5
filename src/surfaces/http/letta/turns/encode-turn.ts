// Converts the events of a turn to Letta's messages: complete messages, or pieces as they arrive.
// Invariant: the messages depend on the events alone, so a turn that is read again gives the same messages in the same
// order; only times and the ids of pings differ.
import type { AgentEvent, EventOf } from "../../../../agent/events.ts";
import { findCall, foldTurn, lastReply, noTurn, runningCalls, type TurnState } from "../../../../agent/fold-turn.ts";
import { messageId } from "../ids.ts";
import type { RunExtension } from "./run-extension.ts";
import {
  assistantMessage,
  type CallMessageType,
  callMessage,
  callPieces,
  ping,
  resultIdOf,
  resultMessage,
  shown,
  type ShownCall,
  type ShownMessage,
  type ShownPlace,
  type ShownResult,
  spokenText,
  thoughtMessage,
  type ThoughtSource,
} from "./shown-message.ts";

export interface EncodeOptions extends Pick<RunExtension, "isInPieces" | "messageTool" | "withCompactions"> {
  readonly thoughtSource: ThoughtSource;
  /** Set if the events begin after this pause, which a decision has ended. Default: the events begin with the turn. */
  readonly pause?: Pause | null;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** A pause of a turn: the reply before it, and the calls that waited, which the client has already received. */
export interface Pause {
  readonly replyId: string;
  readonly calls: ReadonlyMap<string, "approval" | "result">;
}

export interface TurnEncoder {
  /** Applies the next event, and returns the complete messages or the pieces that it adds. */
  read(event: AgentEvent): readonly ShownMessage[];
  /** Returns the collected parts as messages, for example if the turn ended without a `turn-end`. */
  rest(): readonly ShownMessage[];
  /** Returns the state of the turn after the last event. */
  turn(): TurnState;
}

/** Creates an encoder for one turn. Its events must begin with the first one or, with `pause`, after the pause. */
export function createTurnEncoder(options: EncodeOptions): TurnEncoder {
  const { pause } = options;
  const turn = pause ? { ...noTurn, replies: [{ id: pause.replyId, texts: [] }] } : noTurn;
  const state: State = { turn, collected: nothing, kinds: [] };
  return {
    read(event) {
      const before = state.turn;
      const { turn: after, voided } = foldTurn(before, event);
      // The collected parts of a model call that is repeated or failed, or of replies that the turn replaces, are dropped.
      if (voided !== null)
        state.collected = voided.isTextOnly ? { ...state.collected, thought: "", text: "" } : nothing;
      // The collected parts precede the event, so their messages come first.
      const shown = flushedBefore.has(event.type) ? flush(state, options) : [];
      state.turn = after;
      if (lastReply(after)?.id !== lastReply(before)?.id) state.kinds = [];
      const read = readers[event.type] as ReadEvent<AgentEvent["type"]> | undefined;
      return [...shown, ...(read?.(state, event, { before, options }) ?? [])];
    },
    rest: () => flush(state, options),
    turn: () => state.turn,
  };
}

interface Reading {
  /** The state of the turn before the event. */
  readonly before: TurnState;
  readonly options: EncodeOptions;
}

type ReadEvent<Type extends AgentEvent["type"]> = (
  state: State,
  event: EventOf<Type>,
  reading: Reading,
) => readonly ShownMessage[];

const flushedBefore: ReadonlySet<AgentEvent["type"]> = new Set(["turn-start", "step-start", "step-end", "turn-end"]);

/** The function for each type of event that is shown to clients. */
const readers: { readonly [Type in AgentEvent["type"]]?: ReadEvent<Type> } = {
  "turn-start": (_state, { turnId }, { options: { newId, now } }) => [ping(turnId, newId(), now())],
  // Text that arrives while a call runs comes from the call, and is not text of the reply.
  "text-delta": (state, { text }, { options }) =>
    runningCalls(state.turn).length > 0 ? [] : addText(state, options, "text", text),
  "thought-delta": (state, { text }, { options }) => addText(state, options, "thought", text),
  "tool-call": addCall,
  "tool-result": addResult,
  "approval-requested": addRequest,
  "result-requested": addRequest,
  compaction: (_state, event, { options: { withCompactions, now } }) =>
    withCompactions ? compactionMessages(event, now()) : [],
};

type Kind = "thought" | "text" | "calls";

/** The parts of a reply that were collected since the last complete messages. */
interface Collected {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly ShownCall[];
  readonly results: readonly ShownResult[];
  readonly requests: readonly ShownCall[];
}

const nothing: Collected = { thought: "", text: "", calls: [], results: [], requests: [] };

interface State {
  turn: TurnState;
  collected: Collected;
  /** The kinds of the messages that show the reply, in their order. A message's number is the index of its kind. */
  kinds: readonly Kind[];
}

function placeOf({ turn }: State, { now }: EncodeOptions): ShownPlace {
  const { turnId } = turn;
  const replyId = lastReply(turn)?.id ?? null;
  return { id: messageId(replyId ?? turnId), at: now(), turnId, replyId };
}

function numberOf(state: State, kind: Kind): number {
  if (!state.kinds.includes(kind)) state.kinds = [...state.kinds, kind];
  return state.kinds.indexOf(kind);
}

type TextKind = Exclude<Kind, "calls">;

function textMessage(state: State, options: EncodeOptions, kind: TextKind, text: string): ShownMessage {
  const place = placeOf(state, options);
  const number = numberOf(state, kind);
  if (kind === "text") return assistantMessage(place, number, text);
  return thoughtMessage(place, number, { text, source: options.thoughtSource });
}

function addText(state: State, options: EncodeOptions, kind: TextKind, text: string): readonly ShownMessage[] {
  if (text === "") return [];
  if (options.isInPieces) return [textMessage(state, options, kind, text)];
  state.collected = { ...state.collected, [kind]: state.collected[kind] + text };
  return [];
}

function showCall(
  state: State,
  options: EncodeOptions,
  type: CallMessageType,
  call: ShownCall,
): readonly ShownMessage[] {
  if (options.isInPieces) return callPieces(placeOf(state, options), numberOf(state, "calls"), { type, call });
  const list = type === "tool_call_message" ? "calls" : "requests";
  state.collected = { ...state.collected, [list]: [...state.collected[list], call] };
  return [];
}

function addCall(state: State, call: EventOf<"tool-call">, { before, options }: Reading): readonly ShownMessage[] {
  if (shownAs(before, options, call) !== null) return [];
  const spoken = options.messageTool === null ? null : spokenText(options.messageTool, call);
  return spoken === null
    ? showCall(state, options, "tool_call_message", shownCall(call))
    : addText(state, options, "text", spoken);
}

function shownCall({ callId, name, arguments: json }: ShownCall): ShownCall {
  return { callId, name, arguments: json };
}

/** Returns how a call was shown before; null if it was not shown. */
function shownAs(
  before: TurnState,
  { pause, messageTool }: EncodeOptions,
  { callId }: Pick<ShownCall, "callId">,
): "approval" | "result" | "call" | "spoken" | null {
  const paused = pause?.calls.get(callId);
  if (paused !== undefined) return paused;
  const call = findCall(before, callId);
  if (call === null) return null;
  if (call.request !== null) return call.request.type === "result-requested" ? "result" : "approval";
  return messageTool !== null && spokenText(messageTool, call) !== null ? "spoken" : "call";
}

function addResult(
  state: State,
  { callId, name, status, text, printed }: EventOf<"tool-result">,
  { before, options }: Reading,
): readonly ShownMessage[] {
  const as = shownAs(before, options, { callId });
  // If messages are returned in pieces, a result that the client itself has sent is not returned to it.
  if (as === "spoken" || (options.isInPieces && as === "result")) return [];
  const { collected } = state;
  const result = { callId, name, status, text, ...(printed === undefined ? {} : { printed }) };
  state.collected = { ...collected, results: [...collected.results, result] };
  return [];
}

function addRequest(
  state: State,
  event: EventOf<"approval-requested" | "result-requested">,
  { before, options }: Reading,
): readonly ShownMessage[] {
  // A turn that pauses again repeats the requests that still wait, which the client has already received.
  if (shownAs(before, options, event) !== null) return [];
  const shown = options.isInPieces ? flush(state, options) : [];
  return [...shown, ...showCall(state, options, "approval_request_message", shownCall(event))];
}

/** Returns the collected parts as complete messages. */
function flush(state: State, options: EncodeOptions): readonly ShownMessage[] {
  const { thought, text, calls, results, requests } = state.collected;
  state.collected = nothing;
  const place = placeOf(state, options);
  const callsOf = (type: CallMessageType, list: readonly ShownCall[]): readonly ShownMessage[] =>
    list.length === 0 ? [] : [callMessage(place, numberOf(state, "calls"), { type, calls: list })];
  return [
    ...(thought === "" ? [] : [textMessage(state, options, "thought", thought)]),
    ...(text === "" ? [] : [textMessage(state, options, "text", text)]),
    ...callsOf("tool_call_message", calls),
    ...(results.length === 0
      ? []
      : [resultMessage({ ...place, id: resultIdOf(place.replyId ?? state.turn.turnId) }, results)]),
    ...callsOf("approval_request_message", requests),
  ];
}

function compactionMessages(event: EventOf<"compaction">, at: Date): readonly ShownMessage[] {
  const { id, turnId, strategy, messages, tokensBefore, tokensAfter, summary } = event;
  const place = { at, turnId, replyId: null };
  const stats = { trigger: "context_window", context_tokens_before: tokensBefore, context_tokens_after: tokensAfter };
  const event_data = { ...stats, strategy, messages };
  return [
    shown({ ...place, id: messageId(id) }, "event_message", { otid: 0 }, { event_type: "compaction", event_data }),
    shown({ ...place, id: resultIdOf(id) }, "summary_message", { otid: 0 }, { summary, compaction_stats: stats }),
  ];
}
