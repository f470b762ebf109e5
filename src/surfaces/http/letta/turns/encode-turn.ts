// The events of a turn as Letta's messages: whole ones, or pieces as they come.
// Invariant: what is returned follows from the events alone, so that a turn that is read again gives the same messages in the
// same order; only times and the ids of pings differ.
import type { AgentEvent } from "../../../../agent/events.ts";
import { messageId } from "./message-ids.ts";
import {
  assistantMessage,
  type CallMessageType,
  callMessage,
  callPieces,
  type MessageTool,
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

export interface EncodeOptions {
  /** Returns text and calls in pieces, at once, instead of whole messages at the end of each step. */
  readonly isInPieces: boolean;
  /** The tool whose calls are shown as what the assistant says; null: none. */
  readonly messageTool: MessageTool | null;
  readonly thoughtSource: ThoughtSource;
  /** Also returns messages about compactions of the window. */
  readonly withCompactions: boolean;
  /** The calls that waited, if the first events are those after a decision; default none. */
  readonly pause?: Pause | null;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Calls of a reply that wait, and were shown. */
export interface Pause {
  readonly replyId: string;
  readonly calls: ReadonlyMap<string, "approval" | "result">;
}

export interface TurnEncoder {
  /** Takes the next event, in order, and returns the messages that are complete, or the pieces. */
  read(event: AgentEvent): readonly ShownMessage[];
  /** Returns what was collected of a turn that ended without a `turn-end`. */
  rest(): readonly ShownMessage[];
}

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;

/** Creates an encoder for one turn, from its first event or, with `pause`, from where it goes on. */
export function createTurnEncoder(options: EncodeOptions): TurnEncoder {
  const { pause } = options;
  const replyId = pause?.replyId ?? null;
  const known = new Map<string, ShownAs>(pause?.calls ?? []);
  const state: State = { turnId: "", replyId, collected: nothing, kinds: [], isRunning: false, known, calls: [] };
  return {
    read(event) {
      state.turnId = event.turnId;
      return readEvent(state, options, event);
    },
    rest: () => flush(state, options),
  };
}

type ReadEvent<Type extends AgentEvent["type"]> = (
  state: State,
  options: EncodeOptions,
  event: EventOf<Type>,
) => readonly ShownMessage[];

/** What each event that clients see something of is shown as. */
const readers: { readonly [Type in AgentEvent["type"]]?: ReadEvent<Type> } = {
  "turn-start": beginTurn,
  "step-start": beginStep,
  "text-delta": (state, options, { text }) => (state.isRunning ? [] : addText(state, options, "text", text)),
  "thought-delta": (state, options, { text }) => addText(state, options, "thought", text),
  "tool-call": addCall,
  "tool-result": addResult,
  "approval-requested": addRequest,
  "result-requested": addRequest,
  retry: forgetText,
  compaction: (_state, { withCompactions, now }, event) => (withCompactions ? compactionMessages(event, now()) : []),
  "step-end": flush,
  "turn-end": flush,
};

function readEvent(state: State, options: EncodeOptions, event: AgentEvent): readonly ShownMessage[] {
  // Sound: the reader is that of the event's type.
  const read = readers[event.type] as ReadEvent<AgentEvent["type"]> | undefined;
  return read?.(state, options, event) ?? [];
}

function beginTurn(
  state: State,
  options: EncodeOptions,
  { turnId, replyId }: EventOf<"turn-start">,
): readonly ShownMessage[] {
  if (replyId !== undefined && replyId !== state.replyId) forgetReply(state, replyId);
  return [...flush(state, options), ping(turnId, options.newId(), options.now())];
}

/** The turn goes on after another reply than the one that was being streamed: that was not stored. */
function forgetReply(state: State, replyId: string | null): void {
  for (const callId of state.calls) state.known.delete(callId);
  Object.assign(state, { replyId, collected: nothing, kinds: [], calls: [], isRunning: false });
}

function beginStep(state: State, options: EncodeOptions, event: EventOf<"step-start">): readonly ShownMessage[] {
  const before = flush(state, options);
  Object.assign(state, { replyId: event.messageId, kinds: [], calls: [], isRunning: false });
  return before;
}

/** The model call is repeated. */
function forgetText(state: State): readonly ShownMessage[] {
  state.collected = { ...state.collected, thought: "", text: "" };
  return [];
}

type Kind = "thought" | "text" | "calls";

/** What was collected of a reply since the last whole messages. */
interface Collected {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly ShownCall[];
  readonly results: readonly ShownResult[];
  readonly requests: readonly ShownCall[];
}

const nothing: Collected = { thought: "", text: "", calls: [], results: [], requests: [] };

interface State {
  turnId: string;
  replyId: string | null;
  collected: Collected;
  /** The kinds of messages that the reply was shown as, in their order: the position is the number of the message. */
  kinds: readonly Kind[];
  /** Whether a call runs. What it says to the user meanwhile is not text of the reply. */
  isRunning: boolean;
  /** Calls that were shown, as a request or as a call, or as spoken text. */
  readonly known: Map<string, ShownAs>;
  /** Those of the reply. */
  calls: readonly string[];
}

type ShownAs = "approval" | "result" | "call" | "spoken";

function placeOf({ replyId, turnId }: State, { now }: EncodeOptions): ShownPlace {
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

function addCall(
  state: State,
  options: EncodeOptions,
  { callId, name, arguments: json }: EventOf<"tool-call">,
): readonly ShownMessage[] {
  state.isRunning = true;
  if (state.known.has(callId)) return [];
  const call = { callId, name, arguments: json };
  const spoken = options.messageTool === null ? null : spokenText(options.messageTool, call);
  remember(state, callId, spoken === null ? "call" : "spoken");
  return spoken === null
    ? showCall(state, options, "tool_call_message", call)
    : addText(state, options, "text", spoken);
}

function addResult(
  state: State,
  { isInPieces }: EncodeOptions,
  { callId, name, status, text, printed }: EventOf<"tool-result">,
): readonly ShownMessage[] {
  state.isRunning = false;
  const shownAs = state.known.get(callId);
  // In pieces, a client does not get back the result that it sent.
  if (shownAs === "spoken" || (isInPieces && shownAs === "result")) return [];
  const { collected } = state;
  const result = { callId, name, status, text, ...(printed === undefined ? {} : { printed }) };
  state.collected = { ...collected, results: [...collected.results, result] };
  return [];
}

function addRequest(
  state: State,
  options: EncodeOptions,
  { type, callId, name, arguments: json }: EventOf<"approval-requested" | "result-requested">,
): readonly ShownMessage[] {
  // A turn that pauses again repeats the requests that still wait.
  if (state.known.has(callId)) return [];
  remember(state, callId, type === "result-requested" ? "result" : "approval");
  const before = options.isInPieces ? flush(state, options) : [];
  return [...before, ...showCall(state, options, "approval_request_message", { callId, name, arguments: json })];
}

function remember(state: State, callId: string, shownAs: ShownAs): void {
  state.known.set(callId, shownAs);
  state.calls = [...state.calls, callId];
}

/** Returns what was collected as whole messages. */
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
      : [resultMessage({ ...place, id: resultIdOf(state.replyId ?? state.turnId) }, results)]),
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
