// A planned reply in the form of the protocol: plain text and calls, or calls alone with `send_message` for the user.
// Invariant: call ids are counted on from those in the request, so they are unique in it; one `end` closes the events.
import { toolCallsOf } from "../../message.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { estimateRequest } from "./estimate-tokens.ts";
import { readObject } from "./envelope.ts";
import type { Reply } from "./plan-reply.ts";
import type { PlannedCall } from "./planned-call.ts";
import type { Turn } from "./turn.ts";

/** The events of a reply, its end included. */
export function replyEvents(reply: Reply, turn: Turn, request: ModelRequest): readonly ModelEvent[] {
  if ("calls" in reply)
    return callEvents(
      reply.calls.map((call) => writeCall(call, turn, reply.kind)),
      request,
    );
  if (turn.protocol === "native" || reply.kind === "thought") return textEvents(reply.text, request);
  return callEvents([{ name: "send_message", text: JSON.stringify({ message: reply.text }) }], request);
}

/** A text in deltas of one word each, cut at the most tokens that the reply may have. */
export function textEvents(text: string, request: ModelRequest): readonly ModelEvent[] {
  const most = Math.max(0, request.maxOutputTokens) * 4;
  const shown = text.length > most ? text.slice(0, most).toWellFormed() : text;
  const deltas = (shown.match(/\S+\s*|\s+/g) ?? []).map((word): ModelEvent => ({ type: "text-delta", text: word }));
  return [...deltas, endEvent(shown.length < text.length ? "length" : "end", shown.length, request)];
}

interface WrittenCall {
  readonly name: string;
  readonly text: string;
}

function callEvents(calls: readonly WrittenCall[], request: ModelRequest): readonly ModelEvent[] {
  const first = nextCallNumber(request);
  const events = calls.map(
    ({ name, text }, index): ModelEvent => ({
      type: "tool-call",
      callId: `demo_${first + index}`,
      name,
      arguments: text,
    }),
  );
  const characters = calls.reduce((sum, call) => sum + call.name.length + call.text.length, 0);
  return [...events, endEvent("tool-calls", characters, request)];
}

function writeCall(call: PlannedCall, turn: Turn, kind: "calls" | "last-calls"): WrittenCall {
  const fields = typeof call.input === "string" ? readObject(call.input) : call.input;
  if (typeof call.input === "string" && fields === undefined) return { name: call.name, text: call.input };
  const heartbeat = turn.protocol === "heartbeat" ? { request_heartbeat: kind === "calls" } : {};
  return { name: call.name, text: JSON.stringify({ ...fields, ...heartbeat }) };
}

function nextCallNumber(request: ModelRequest): number {
  const calls = request.messages.flatMap(toolCallsOf);
  const numbers = calls.map((call) => Number(/^demo_(\d{1,9})$/.exec(call.callId)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), calls.length) + 1;
}

function endEvent(stopReason: "end" | "length" | "tool-calls", characters: number, request: ModelRequest): ModelEvent {
  const usage = {
    inputTokens: estimateRequest(request),
    outputTokens: Math.ceil(characters / 4),
    cachedInputTokens: 0,
  };
  return { type: "end", stopReason, usage };
}
