// Converts the events of a turn to items of a response's output: reasoning, messages and calls of the client's functions.
// Invariant: an item is added, filled and completed before the next one is added; its streamed parts add up to the item.

export interface MessageItem {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly status: ItemStatus;
  readonly content: readonly OutputText[];
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: "reasoning";
  readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: "function_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export type ResponseItem = MessageItem | ReasoningItem | FunctionCallItem;
type ItemStatus = "in_progress" | "completed" | "incomplete";

interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

/** An event of the stream, without its number. */
export interface ItemEvent {
  readonly type: `response.${string}`;
  readonly [field: string]: unknown;
}

export interface ItemPlace {
  readonly id: string;
  readonly output_index: number;
}

/** How a kind of item streams its text. */
export interface TextKind {
  item(id: string, text: string | null): ResponseItem;
  begin(place: ItemPlace): readonly ItemEvent[];
  delta(place: ItemPlace, delta: string): ItemEvent;
  end(place: ItemPlace, text: string): readonly ItemEvent[];
}

const outputText = (text: string): OutputText => ({ type: "output_text", text, annotations: [], logprobs: [] });

export const messageText: TextKind = {
  item: (id, text) => {
    const status = text === null ? "in_progress" : "completed";
    return { id, type: "message", role: "assistant", status, content: text === null ? [] : [outputText(text)] };
  },
  begin: (place) => [{ type: "response.content_part.added", ...contentAt(place), part: outputText("") }],
  delta: (place, delta) => ({ type: "response.output_text.delta", ...contentAt(place), delta, logprobs: [] }),
  end: (place, text) => [
    { type: "response.output_text.done", ...contentAt(place), text, logprobs: [] },
    { type: "response.content_part.done", ...contentAt(place), part: outputText(text) },
  ],
};

function contentAt({ id, output_index }: ItemPlace) {
  return { item_id: id, output_index, content_index: 0 };
}

const summaryText = (text: string) => ({ type: "summary_text", text }) as const;

export const reasoningText: TextKind = {
  item: (id, text) => ({ id, type: "reasoning", summary: text === null ? [] : [summaryText(text)] }),
  begin: (place) => [{ type: "response.reasoning_summary_part.added", ...summaryAt(place), part: summaryText("") }],
  delta: (place, delta) => ({ type: "response.reasoning_summary_text.delta", ...summaryAt(place), delta }),
  end: (place, text) => [
    { type: "response.reasoning_summary_text.done", ...summaryAt(place), text },
    { type: "response.reasoning_summary_part.done", ...summaryAt(place), part: summaryText(text) },
  ],
};

function summaryAt({ id, output_index }: ItemPlace) {
  return { item_id: id, output_index, summary_index: 0 };
}

/** Returns the events of a complete call; the first and the last event contain the item. */
export function callEvents(item: FunctionCallItem, output_index: number): readonly ItemEvent[] {
  const place = { item_id: item.id, output_index };
  const empty = { ...item, status: "in_progress", arguments: "" };
  return [
    { type: "response.output_item.added", output_index, item: empty },
    { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
    { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
    { type: "response.output_item.done", output_index, item },
  ];
}
