// Answers of the three wire formats, byte for byte as their servers stream them, whole, cut off and refused.
import type { WireApi } from "./journal-checks.ts";
import { namedEvents, plainEvents, type RawReply, type WireEvent } from "./raw-server.ts";

export interface WireCall {
  readonly name: string;
  /** JSON text as the model writes it. */
  readonly arguments: string;
}

export interface WireAnswer {
  readonly text?: string;
  readonly call?: WireCall;
  /**
   * `cut`: the body ends before the answer does. `cut-in-call`: and before its call is whole. `call`, only of Anthropic: the
   * stop reason is a call, whether there is one or not. Default `whole`.
   */
  readonly end?: "whole" | "length" | "cut" | "cut-in-call" | "call";
}

/** A streamed answer. */
export const wireAnswer = (api: WireApi, answer: WireAnswer): RawReply => ({ chunks: writers[api](answer) });

/** A refusal with the provider's kind of body. */
export function wireRefusal(
  api: WireApi,
  refusal: { readonly status: number; readonly code: string; readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): RawReply {
  const { status, code, message } = refusal;
  const body = api === "anthropic" ? { type: "error", error: { type: code, message } } : { error: { code, message } };
  return { status, headers: { "content-type": "application/json", ...headers }, chunks: [JSON.stringify(body)] };
}

const writers: Readonly<Record<WireApi, (answer: WireAnswer) => readonly string[]>> = {
  anthropic: anthropicEvents,
  chat: chatEvents,
  responses: responsesEvents,
};

let calls = 0;

function newId(prefix: string): string {
  calls += 1;
  return `${prefix}_${calls}`;
}

function halves(text: string): readonly [string, string] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function anthropicEvents({ text, call, end = "whole" }: WireAnswer): string[] {
  const events: WireEvent[] = [
    { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    ...(text === undefined ? [] : anthropicBlock(0, { type: "text", text: "" }, [{ type: "text_delta", text }])),
    ...(call === undefined ? [] : anthropicCall(call, end)),
  ];
  if (end === "whole" || end === "length" || end === "call") {
    const whole = call === undefined && end === "whole" ? "end_turn" : "tool_use";
    const delta = { stop_reason: end === "length" ? "max_tokens" : whole };
    events.push({ type: "message_delta", delta, usage: { output_tokens: 5 } }, { type: "message_stop" });
  }
  return namedEvents(events);
}

function anthropicCall(call: WireCall, end: WireAnswer["end"]): WireEvent[] {
  const [head, tail] = halves(call.arguments);
  const block = { type: "tool_use", id: newId("toolu"), name: call.name, input: {} };
  const pieces = [head, tail].map((json) => ({ type: "input_json_delta", partial_json: json }));
  const events = anthropicBlock(1, block, pieces);
  return end === "cut-in-call" ? events.slice(0, 2) : events;
}

function anthropicBlock(index: number, block: object, deltas: readonly object[]): WireEvent[] {
  return [
    { type: "content_block_start", index, content_block: block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function chatEvents({ text, call, end = "whole" }: WireAnswer): string[] {
  const chunk = (delta: object, reason: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks: unknown[] = [chunk({ role: "assistant", content: text ?? null })];
  if (call !== undefined) {
    const [head, tail] = halves(call.arguments);
    const first = { index: 0, id: newId("call"), type: "function", function: { name: call.name, arguments: head } };
    chunks.push(chunk({ tool_calls: [first] }));
    if (end !== "cut-in-call") chunks.push(chunk({ tool_calls: [{ index: 0, function: { arguments: tail } }] }));
  }
  if (end === "whole" || end === "length") {
    const whole = call === undefined ? "stop" : "tool_calls";
    chunks.push(chunk({}, end === "length" ? "length" : whole));
    chunks.push({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }, "[DONE]");
  }
  return plainEvents(chunks);
}

function responsesEvents({ text, call, end = "whole" }: WireAnswer): string[] {
  const events: WireEvent[] = [{ type: "response.created", response: { status: "in_progress" } }];
  if (text !== undefined) events.push({ type: "response.output_text.delta", delta: text });
  if (call !== undefined) events.push(...responsesCall(call, end));
  const usage = { input_tokens: 10, output_tokens: 5 };
  if (end === "whole") events.push({ type: "response.completed", response: { status: "completed", usage } });
  if (end === "length") {
    const response = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, usage };
    events.push({ type: "response.incomplete", response });
  }
  return namedEvents(events);
}

function responsesCall(call: WireCall, end: WireAnswer["end"]): WireEvent[] {
  const [head, tail] = halves(call.arguments);
  const item = { type: "function_call", call_id: newId("call"), name: call.name };
  const events: WireEvent[] = [
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: head },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: tail },
    { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: call.arguments } },
  ];
  return end === "cut-in-call" ? events.slice(0, 2) : events;
}
