// Computes the state of a turn from its events so far: replies, calls, edits and end. Also yields the events of a turn that
// continues after the reply of another agent.
// Invariant: the fold is pure. Every reader of events uses this fold, so that all agree which replies and texts are valid
// and which are void.
import { addUsage, noUsage, type Usage } from "../base/message/message.ts";
import type { Agent } from "./agent.ts";
import type { AgentEvent, AgentEventType, EventOf, TurnEnd, WindowUsage } from "./events.ts";

/** Text for the user, or a thought. */
export interface ReplyText {
  readonly kind: "text" | "thought";
  readonly text: string;
}

/** The answer to one model call. */
export interface TurnReply {
  /** The id of the reply's message; null if the reply began before the first event that was read. */
  readonly id: string | null;
  /** The reply's valid texts, in order; adjacent texts are of different kinds. */
  readonly texts: readonly ReplyText[];
}

export interface TurnCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as JSON; "" if the call's result was read, but not the call. */
  readonly arguments: string;
  readonly replyId: string | null;
  /** The event by which the call asked for a decision or a result, the first if there were several; null for none. */
  readonly request: EventOf<"approval-requested" | "result-requested"> | null;
  readonly status: "waiting" | "running" | "ok" | "failed";
  /** The result as text for the model; null before the result. */
  readonly result: string | null;
}

export interface TurnState {
  /** The turn's id; "" while the turn has not begun, even while it waits for another turn. */
  readonly turnId: string;
  /** The number of the last step; 0 before the first one. `model` and `window`: its model, and the window at its start. */
  readonly step: number;
  readonly model: string | null;
  readonly window: WindowUsage | null;
  /** The replies that are not void, oldest first. */
  readonly replies: readonly TurnReply[];
  /** Whether the last reply is being streamed: its text is void if the model call fails or is repeated. */
  readonly isStreaming: boolean;
  /** The calls of replies that are not void, in the order of their first events. */
  readonly calls: readonly TurnCall[];
  readonly edits: readonly EventOf<"memory-edit">[];
  /** Usage of the steps so far; after the end, the usage that the turn reported. */
  readonly usage: Usage;
  /** Input and output tokens of the last step that ended; null before any step has ended. */
  readonly contextTokens: number | null;
  /** The event `turn-end`; null while the turn runs, even if it had an earlier `turn-end` in order to wait. */
  readonly end: TurnEnd | null;
}

export interface VoidedReplies {
  /** The replies that became void, as they were before the event, oldest first; at least one. */
  readonly replies: readonly TurnReply[];
  /**
   * Whether only the texts are void, because the reply's model call failed or is repeated. Otherwise, the replies'
   * calls are void too.
   */
  readonly isTextOnly: boolean;
}

export interface FoldedTurn {
  readonly turn: TurnState;
  /** The replies that the event voids; null for none. */
  readonly voided: VoidedReplies | null;
}

export const noTurn: TurnState = {
  turnId: "",
  step: 0,
  model: null,
  window: null,
  replies: [],
  isStreaming: false,
  calls: [],
  edits: [],
  usage: noUsage,
  contextTokens: null,
  end: null,
};

/** Returns the state after the next event. An event of another turn begins a new state. */
export function foldTurn(known: TurnState, event: AgentEvent): FoldedTurn {
  const before = known.turnId === "" || known.turnId === event.turnId ? known : noTurn;
  const voided = voidedBy(before, event);
  const kept = voided === null ? before : without(before, voided);
  const fold = folds[event.type] as Fold<AgentEventType> | undefined;
  const turnId = event.type === "turn-queued" ? kept.turnId : event.turnId;
  return { turn: { ...kept, turnId, ...fold?.(kept, event) }, voided };
}

/** Returns the last reply of the turn, finished or not; null before the first. */
export function lastReply({ replies }: TurnState): TurnReply | null {
  return replies.at(-1) ?? null;
}

/** Returns the text for the user, or the thoughts, of a reply. */
export function textOfReply({ texts }: TurnReply, kind: ReplyText["kind"] = "text"): string {
  return texts.map((part) => (part.kind === kind ? part.text : "")).join("");
}

/** Returns the calls that wait for approval or for a result from the caller. */
export function waitingCalls({ calls }: TurnState): readonly TurnCall[] {
  return calls.filter(({ status }) => status === "waiting");
}

/** Returns the running calls: none before the first call, after the next step has begun or after the turn has ended. */
export function runningCalls(turn: TurnState): readonly TurnCall[] {
  const { calls, end } = turn;
  const reply = lastReply(turn)?.id ?? null;
  return end === null ? calls.filter(({ status, replyId }) => status === "running" && replyId === reply) : [];
}

export function findCall({ calls }: TurnState, callId: string): TurnCall | null {
  return calls.find((call) => call.callId === callId) ?? null;
}

/**
 * Returns the replies that an event voids; null for none. A repeated model call, and a failure that ends the turn, void
 * the text that is being streamed. A `turn-start` that names a reply voids every later reply, because these replies
 * were not stored or are regenerated.
 */
function voidedBy({ replies, isStreaming }: TurnState, event: AgentEvent): VoidedReplies | null {
  if (event.type === "turn-start" && event.replyId !== undefined) {
    const named = replies.findLastIndex(({ id }) => id === event.replyId);
    // Texts before the first `step-start` that was read belong to a stored reply, so they stay valid.
    const last = named === -1 && replies[0]?.id === null ? 0 : named;
    return last + 1 === replies.length ? null : { replies: replies.slice(last + 1), isTextOnly: false };
  }
  const isVoid = isStreaming && (event.type === "retry" || isFailure(event));
  return isVoid ? { replies: replies.slice(-1), isTextOnly: true } : null;
}

function isFailure(event: AgentEvent): boolean {
  return event.type === "turn-end" && (event.stopReason === "model-error" || event.stopReason === "context-overflow");
}

function without(turn: TurnState, { replies, isTextOnly }: VoidedReplies): TurnState {
  const kept = turn.replies.slice(0, turn.replies.length - replies.length);
  if (isTextOnly) return { ...turn, replies: [...kept, ...replies.map(({ id }) => ({ id, texts: [] }))] };
  const calls = turn.calls.filter(({ replyId }) => !replies.some(({ id }) => id === replyId));
  return { ...turn, replies: kept, calls };
}

type Fold<Type extends AgentEventType> = (turn: TurnState, event: EventOf<Type>) => Partial<TurnState>;

const folds: { readonly [Type in AgentEventType]?: Fold<Type> } = {
  "turn-start": ({ replies }, { replyId = null }) => {
    const isKnown = replyId === null || replies.at(-1)?.id === replyId;
    return { replies: isKnown ? replies : [...replies, { id: replyId, texts: [] }], isStreaming: false, end: null };
  },
  "step-start": ({ replies }, { step, messageId, model, window }) => {
    return { step, model, window, replies: [...replies, { id: messageId, texts: [] }], isStreaming: true };
  },
  "text-delta": (turn, { text }) => withText(turn, "text", text),
  "thought-delta": (turn, { text }) => withText(turn, "thought", text),
  "tool-call": (turn, event) => withCall(turn, event, { status: "running" }),
  "approval-requested": withRequest,
  "result-requested": withRequest,
  "tool-result": (turn, event) => {
    const { callId, name, status, text: result } = event;
    return withCall(turn, { callId, name, arguments: findCall(turn, callId)?.arguments ?? "" }, { status, result });
  },
  "memory-edit": ({ edits }, event) => ({ edits: [...edits, event] }),
  "step-end": (turn, { usage }) => {
    const contextTokens = usage.inputTokens + usage.outputTokens;
    return { usage: addUsage(turn.usage, usage), contextTokens, isStreaming: false };
  },
  "turn-end": (_turn, end) => ({ usage: end.usage, isStreaming: false, end }),
};

function withText({ replies, isStreaming }: TurnState, kind: ReplyText["kind"], text: string): Partial<TurnState> {
  if (text === "") return {};
  const { id, texts } = replies.at(-1) ?? { id: null, texts: [] };
  const last = texts.at(-1);
  const joined =
    last?.kind === kind ? [...texts.slice(0, -1), { kind, text: last.text + text }] : [...texts, { kind, text }];
  // A text before any `step-start` shows that reading began in the middle of a reply, which is still being streamed.
  return {
    replies: [...replies.slice(0, -1), { id, texts: joined }],
    isStreaming: isStreaming || replies.length === 0,
  };
}

function withRequest(turn: TurnState, event: NonNullable<TurnCall["request"]>): Partial<TurnState> {
  return withCall(turn, event, { status: "waiting", request: findCall(turn, event.callId)?.request ?? event });
}

function withCall(
  turn: TurnState,
  { callId, name, arguments: json }: Pick<TurnCall, "callId" | "name" | "arguments">,
  change: Partial<TurnCall>,
): Partial<TurnState> {
  const known = findCall(turn, callId);
  const first = { callId, name, replyId: lastReply(turn)?.id ?? null, request: null, status: "running", result: null };
  const call = { ...first, ...known, arguments: json, ...change } as TurnCall;
  const calls = turn.calls.map((other) => (other === known ? call : other));
  return { calls: known === null ? [...calls, call] : calls };
}

/** The records of turns. */
interface Turns {
  find(turnId: string): Promise<{ readonly state: string }>;
}

/** Milliseconds between two checks whether another agent has answered. */
const replyPollMs = 250;

/** Waits for `ms` milliseconds. Returns false to end the reading. */
type Pause = (ms: number) => Promise<boolean>;

/** How to read the later events of a turn that waits for the reply of another agent. */
interface ReadingOn<Read> {
  readonly turns: Turns;
  eventOf(read: Read): AgentEvent;
  /** Called before each read of later events. */
  readonly pause: Pause;
  /** Returns the items that are stored after an event. */
  later(last: AgentEvent): AsyncIterable<Read>;
}

/**
 * Yields the items of a turn. If the turn waits for the reply of another agent, also yields the later items, until a message
 * supersedes the waiting call.
 */
export async function* readOnReplies<Read>(
  turn: AsyncIterable<Read>,
  { turns, eventOf, pause, later }: ReadingOn<Read>,
): AsyncGenerator<Read, void> {
  let last: AgentEvent | null = null;
  let isUnderWay = true;
  for (let next = turn; ; ) {
    for await (const read of next) {
      last = eventOf(read);
      yield read;
    }
    const waits: boolean = last?.type === "turn-end" && last.stopReason === "awaiting-reply" && isUnderWay;
    if (last === null || !waits || !(await pause(replyPollMs))) return;
    // The state of the turn is read before its events, so that an event stored in between is not missed.
    isUnderWay = ["waiting", "running"].includes((await turns.find(last.turnId)).state);
    next = later(last);
  }
}

/** Yields the events of a turn as `readOnReplies` does, with the agent as the source of the later events. */
export function withReplies(
  { agent, turns }: { readonly agent: Pick<Agent, "events">; readonly turns: Turns },
  turn: AsyncIterable<AgentEvent>,
  pause: Pause,
): AsyncGenerator<AgentEvent, void> {
  const later = ({ turnId, sequence }: AgentEvent) => agent.events(turnId, { after: sequence });
  return readOnReplies(turn, { turns, eventOf: (event) => event, pause, later });
}
