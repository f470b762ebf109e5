// Converts a turn's events to a response of OpenAI's Responses API, whole or streamed.
// Invariant: the last event of a stream contains the response that a request without streaming gets.
import type { AgentEvent, EventOf, TurnEnd } from "../../../agent/events.ts";
import { replayRun } from "../../stream/ai-sdk/replay-run.ts";
import type { SentEvent } from "../event-stream.ts";
import { requireSuccess, textOfEvent } from "./model-turn.ts";
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
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  const state = newState();
  // Drops the text of model calls that were repeated.
  for (const event of replayRun(all)) read(state, event);
  requireSuccess(state.end);
  return responseObject(place, state);
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
        yield sent({ type, response: responseObject(place, state) });
    } else for (const item of read(state, event)) yield sent(item);
  }
  const response = responseObject(place, { ...state, end: requireEnd(state.end) });
  yield sent({ type: `response.${response.status}`, response });
}

function requireEnd(end: TurnEnd | null): TurnEnd {
  // `requireSuccess` throws if the turn has no end.
  return end ?? requireSuccess(end);
}

interface State {
  id: string;
  output: readonly ResponseItem[];
  end: TurnEnd | null;
  open: { readonly kind: TextKind; readonly id: string; text: string } | null;
}

function newState(): State {
  return { id: "", output: [], end: null, open: null };
}

/** Applies the next event to the state, and returns the events that it adds to the output. */
function read(state: State, event: AgentEvent): readonly ItemEvent[] {
  if (state.id === "") state.id = responseId(event.turnId, event.sequence);
  const text = textOfEvent(event);
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

function idOf({ id, output }: State, prefix: string): string {
  return `${prefix}_${id.slice("resp_".length)}_${output.length}`;
}

function addText(state: State, kind: TextKind, delta: string): readonly ItemEvent[] {
  const before = state.open?.kind === kind ? [] : [...closeText(state), ...openText(state, kind)];
  const { open, output } = state;
  if (open === null) return before;
  open.text += delta;
  return [...before, kind.delta({ id: open.id, output_index: output.length }, delta)];
}

function openText(state: State, kind: TextKind): readonly ItemEvent[] {
  const id = idOf(state, kind === messageText ? "msg" : "rs");
  const output_index = state.output.length;
  state.open = { kind, id, text: "" };
  return [
    { type: "response.output_item.added", output_index, item: kind.item(id, null) },
    ...kind.begin({ id, output_index }),
  ];
}

function closeText(state: State): readonly ItemEvent[] {
  const { open, output } = state;
  if (open === null) return [];
  const { kind, id, text } = open;
  const output_index = output.length;
  const item = kind.item(id, text);
  state.open = null;
  state.output = [...output, item];
  return [...kind.end({ id, output_index }, text), { type: "response.output_item.done", output_index, item }];
}

function addCall(state: State, { callId, name, arguments: json }: EventOf<"result-requested">): readonly ItemEvent[] {
  const output_index = state.output.length;
  const id = idOf(state, "fc");
  const item = { id, type: "function_call", status: "completed", call_id: callId, name, arguments: json } as const;
  state.output = [...state.output, item];
  return callEvents(item, output_index);
}
