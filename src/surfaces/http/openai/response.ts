// Converts a turn's events to a response of OpenAI's Responses API, whole or streamed.
// Invariant: the last event of a stream contains the response that a request without streaming gets.
import type { AgentEvent, EventOf, TurnEnd } from "../../../agent/events.ts";
import { foldTurn, lastReply, noTurn, type TurnState, type VoidedReplies } from "../../../agent/fold-turn.ts";
import type { SentEvent } from "../event-stream.ts";
import { answerText, requireSuccess } from "./model-turn.ts";
import {
  callEvents,
  type ItemEvent,
  messageText,
  reasoningText,
  type ResponseItem,
  type TextKind,
} from "./response-items.ts";
import { responseId, responseObject, type ResponsePlace } from "./response-shape.ts";

/** Returns the response of a turn. Throws Fault if a failure ended the turn. */
export async function wholeResponse(events: AsyncIterable<AgentEvent>, place: ResponsePlace) {
  const state = newState();
  for await (const event of events) read(state, event);
  requireSuccess(state.end);
  return responseOf(place, state);
}

/** Yields the events of the stream. If the turn fails, the last event is a failed response. */
export async function* responseEvents(
  events: AsyncIterable<AgentEvent>,
  place: ResponsePlace,
): AsyncGenerator<SentEvent, void> {
  const state = newState();
  let sequence_number = 0;
  const sent = (event: ItemEvent): SentEvent => {
    const data = { ...event, sequence_number };
    sequence_number += 1;
    return { event: event.type, data };
  };
  for await (const event of events) {
    if (event.type === "turn-queued") continue;
    if (state.id === "") {
      read(state, event);
      for (const type of ["response.created", "response.in_progress"] as const)
        yield sent({ type, response: responseOf(place, state) });
    } else for (const item of read(state, event)) yield sent(item);
  }
  // `requireSuccess` throws if the turn has no end.
  const response = responseOf(place, { ...state, end: state.end ?? requireSuccess(null) });
  yield sent({ type: `response.${response.status}`, response });
}

function responseOf(place: ResponsePlace, { id, items, end }: State) {
  return responseObject(place, { id, output: items.map(({ item }) => item), end });
}

interface State {
  id: string;
  turn: TurnState;
  /** The items without those of void replies, such as the reply of a model call that was repeated. */
  items: readonly { readonly item: ResponseItem; readonly replyId: string | null }[];
  /** The number of items that were completed, void ones included. */
  count: number;
  end: TurnEnd | null;
  open: { readonly kind: TextKind; readonly id: string; readonly replyId: string | null; text: string } | null;
  /** Returns the text that an event adds to the open item. */
  textOf: (event: AgentEvent) => string;
}

function newState(): State {
  return { id: "", turn: noTurn, items: [], count: 0, end: null, open: null, textOf: answerText() };
}

/** Applies the next event to the state, and returns the events that it adds to the output. */
function read(state: State, event: AgentEvent): readonly ItemEvent[] {
  if (state.id === "") state.id = responseId(event.turnId, event.sequence);
  const { turn, voided } = foldTurn(state.turn, event);
  state.turn = turn;
  return [...(voided === null ? [] : leaveOut(state, voided)), ...add(state, event)];
}

/** Ends the open item, and leaves out the items of replies that became void, such as those of a repeated model call. */
function leaveOut(state: State, { replies, isTextOnly }: VoidedReplies): readonly ItemEvent[] {
  const events = closeText(state, "incomplete");
  state.items = state.items.filter(({ item, replyId }) => {
    return (isTextOnly && item.type === "function_call") || !replies.some(({ id }) => id === replyId);
  });
  return events;
}

function add(state: State, event: AgentEvent): readonly ItemEvent[] {
  const text = state.textOf(event);
  if (text !== "") return addText(state, messageText, text);
  switch (event.type) {
    case "thought-delta":
      return addText(state, reasoningText, event.text);
    case "result-requested":
      return [...closeText(state), ...addCall(state, event)];
    case "turn-end":
      state.end = event;
      return closeText(state);
    case "step-end":
      return closeText(state);
    default:
      return [];
  }
}

function idOf({ id, count }: State, prefix: string): string {
  return `${prefix}_${id.slice("resp_".length)}_${count}`;
}

function addText(state: State, kind: TextKind, delta: string): readonly ItemEvent[] {
  const before = state.open?.kind === kind ? [] : [...closeText(state), ...openText(state, kind)];
  const { open, count } = state;
  if (open === null) return before;
  open.text += delta;
  return [...before, kind.delta({ id: open.id, output_index: count }, delta)];
}

function openText(state: State, kind: TextKind): readonly ItemEvent[] {
  const id = idOf(state, kind === messageText ? "msg" : "rs");
  const output_index = state.count;
  state.open = { kind, id, replyId: lastReply(state.turn)?.id ?? null, text: "" };
  return [
    { type: "response.output_item.added", output_index, item: kind.item(id, null) },
    ...kind.begin({ id, output_index }),
  ];
}

function closeText(state: State, status: "completed" | "incomplete" = "completed"): readonly ItemEvent[] {
  const { open, count: output_index } = state;
  if (open === null) return [];
  const { kind, id, replyId, text } = open;
  const whole = kind.item(id, text);
  const item = whole.type === "message" ? { ...whole, status } : whole;
  state.open = null;
  state.textOf = answerText();
  addItem(state, item, replyId);
  return [...kind.end({ id, output_index }, text), { type: "response.output_item.done", output_index, item }];
}

function addCall(state: State, { callId, name, arguments: json }: EventOf<"result-requested">): readonly ItemEvent[] {
  const output_index = state.count;
  const id = idOf(state, "fc");
  const item = { id, type: "function_call", status: "completed", call_id: callId, name, arguments: json } as const;
  addItem(state, item, lastReply(state.turn)?.id ?? null);
  return callEvents(item, output_index);
}

function addItem(state: State, item: ResponseItem, replyId: string | null): void {
  state.items = [...state.items, { item, replyId }];
  state.count += 1;
}
