// The events of a turn as Letta's messages, whole and in pieces.
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import { noUsage } from "../../../src/base/message/message.ts";
import { createTurnEncoder, type EncodeOptions } from "../../../src/surfaces/http/letta/turns/encode-turn.ts";
import type { ShownMessage } from "../../../src/surfaces/http/letta/turns/shown-message.ts";

const turnId = "0198f1f0-0000-7000-8000-000000000001";
const [first, second] = ["0198f1f0-0000-7000-8000-00000000000a", "0198f1f0-0000-7000-8000-00000000000b"] as const;

const begin: EventBody = { type: "turn-start", messageId: turnId };
const again = (replyId: string | null): EventBody => ({ ...begin, replyId }) as EventBody;
const step = (messageId: string, number = 1): EventBody => {
  return { type: "step-start", step: number, messageId, model: "m", window: { tokens: 1, limit: 2 } };
};
const text = (piece: string): EventBody => ({ type: "text-delta", step: 1, text: piece });
const thought = (piece: string): EventBody => ({ type: "thought-delta", step: 1, text: piece });
const call = (callId: string, name = "t", json = "{}"): EventBody => {
  return { type: "tool-call", step: 1, callId, name, arguments: json };
};
const result = (callId: string, name = "t"): EventBody => {
  return { type: "tool-result", step: 1, callId, name, status: "ok", text: `result of ${callId}` };
};
const request = (callId: string): EventBody => {
  return { type: "approval-requested", step: 1, callId, name: "t", arguments: "{}", preview: null, expiresAt: null };
};
const ask = (callId: string): EventBody => ({ type: "result-requested", step: 1, callId, name: "t", arguments: "{}" });
const stepEnd: EventBody = { type: "step-end", step: 1, usage: noUsage };
const end: EventBody = { type: "turn-end", stopReason: "end-turn", text: "", steps: 1, usage: noUsage };

function encoded(bodies: readonly EventBody[], options: Partial<EncodeOptions> = {}): readonly ShownMessage[] {
  const encoder = createTurnEncoder({
    isInPieces: false,
    messageTool: { name: "send_message", argument: "message" },
    thoughtSource: "reasoner_model",
    withCompactions: false,
    now: () => new Date(0),
    newId: () => "x",
    ...options,
  });
  const header = { agentId: "a", conversationId: "c", turnId };
  const events = bodies.map((body, at): AgentEvent => ({ ...header, sequence: at + 1, ...body }));
  return [...events.flatMap((event) => encoder.read(event)), ...encoder.rest()];
}

/** The kind of each message, with what it says. */
const brief = (messages: readonly ShownMessage[]) =>
  messages.map((one) => {
    const type = one.message_type.replace("_message", "");
    const calls = one["tool_calls"] as readonly { readonly tool_call_id: string }[] | undefined;
    const returns = one["tool_returns"] as readonly { readonly tool_call_id: string }[] | undefined;
    const ids = Array.isArray(calls) ? calls : (returns ?? []);
    const said = one["content"] ?? one["reasoning"] ?? one["summary"] ?? ids.map((item) => item.tool_call_id).join();
    return said === "" ? type : `${type}: ${said as string}`;
  });

const inPieces = { isInPieces: true };

describe("whole messages", () => {
  it("come at the end of each step: thoughts, text, calls and results, with numbers in their order", () => {
    const messages = encoded([
      begin,
      step(first),
      thought("Hm"),
      text("a "),
      text("b"),
      call("1"),
      result("1"),
      call("2"),
      result("2"),
      stepEnd,
      step(second, 2),
      text("done"),
      stepEnd,
      end,
    ]);
    expect(brief(messages)).toEqual([
      "ping",
      "reasoning: Hm",
      "assistant: a b",
      "tool_call: 1,2",
      "tool_return: 1,2",
      "assistant: done",
    ]);
    const shown = messages.filter(({ id }) => id === `message-${first}`);
    expect(shown.map(({ otid }) => String(otid).slice(-1))).toEqual(["0", "1", "2"]);
    expect(messages.map(({ step_id: id }) => id)).toEqual([
      null,
      ...Array.from({ length: 4 }, () => `step-${first}`),
      `step-${second}`,
    ]);
  });

  it("have no text that a repeated model call replaces, or that was not stored when the process was killed", () => {
    const retry: EventBody = { type: "retry", step: 1, attempt: 1, delayMs: 1, reason: "busy" };
    expect(brief(encoded([begin, step(first), text("lost"), retry, text("kept"), stepEnd, end]))).toEqual([
      "ping",
      "assistant: kept",
    ]);
    const killed = [begin, step(first), text("lost"), again(null), step(second), text("kept"), stepEnd, end];
    expect(brief(encoded(killed))).toEqual(["ping", "ping", "assistant: kept"]);
    // Its process ended before the call, or after it.
    const called = [call("1"), result("1"), step(second), end];
    expect(brief(encoded([begin, step(first), text("kept"), again(first), ...called]))).toEqual([
      "ping",
      "assistant: kept",
      "ping",
      "tool_call: 1",
      "tool_return: 1",
    ]);
    expect(brief(encoded([begin, step(first), text("kept"), call("1"), again(first), ...called]))).toEqual([
      "ping",
      "assistant: kept",
      "tool_call: 1",
      "ping",
      "tool_return: 1",
    ]);
    // The reply is stored with the result of its call, so neither was.
    const unstored = [begin, step(first), text("lost"), call("1"), again(null), step(second), text("kept")];
    expect(brief(encoded([...unstored, ...called]))).toEqual([
      "ping",
      "ping",
      "assistant: kept",
      "tool_call: 1",
      "tool_return: 1",
    ]);
  });

  it("have no text of a model call that failed, and what an interruption kept", () => {
    const ended = (stopReason: "model-error" | "interrupted") =>
      brief(encoded([begin, step(first), thought("Hm"), text("half"), { ...end, stopReason } as EventBody]));
    expect(ended("model-error")).toEqual(["ping"]);
    expect(ended("interrupted")).toEqual(["ping", "reasoning: Hm", "assistant: half"]);
  });

  it("show each request once, however often the turn pauses", () => {
    const paused = { ...end, stopReason: "awaiting-approval" } as EventBody;
    const messages = encoded([
      begin,
      step(first),
      request("1"),
      request("2"),
      stepEnd,
      paused,
      begin,
      call("1"),
      result("1"),
      request("2"),
      paused,
      begin,
      call("2"),
      result("2"),
      step(second),
      text("done"),
      stepEnd,
      end,
    ]);
    expect(brief(messages)).toEqual([
      "ping",
      "approval_request: 1,2",
      "ping",
      "tool_return: 1",
      "ping",
      "tool_return: 2",
      "assistant: done",
    ]);
    expect(messages[3]!.id).toBe("message-0198f1f0-0000-7000-c000-00000000000a");
  });

  it("begin with the results if the events are those after a decision", () => {
    const pause = { replyId: first, calls: new Map([["1", "result"] as const]) };
    const events = [begin, call("1"), result("1"), step(second), text("done"), stepEnd, end];
    expect(brief(encoded(events, { pause }))).toEqual(["ping", "tool_return: 1", "assistant: done"]);
    expect(brief(encoded(events, { pause, ...inPieces }))).toEqual(["ping", "assistant: done"]);
  });
});

describe("pieces", () => {
  it("come with each event, and share the id and the number of what they belong to", () => {
    const messages = encoded(
      [begin, step(first), thought("H"), thought("m"), text("a "), text("b"), stepEnd, end],
      inPieces,
    );
    expect(brief(messages)).toEqual(["ping", "reasoning: H", "reasoning: m", "assistant: a ", "assistant: b"]);
    expect(new Set(messages.slice(1).map(({ id }) => id)).size).toBe(1);
    expect(messages.slice(1).map(({ otid }) => String(otid).slice(-1))).toEqual(["0", "0", "1", "1"]);
  });

  it("of a call are its name and its arguments; its result comes whole, after all calls", () => {
    const messages = encoded([begin, step(first), call("1", "t", '{"a":1}'), result("1"), stepEnd, end], inPieces);
    expect(messages.slice(1, 3).map((one) => one["tool_call"])).toEqual([
      { name: "t", tool_call_id: "1" },
      { arguments: '{"a":1}', tool_call_id: "1" },
    ]);
    expect(messages[1]!["tool_calls"]).toEqual(messages[1]!["tool_call"]);
    expect(brief(messages.slice(3))).toEqual(["tool_return: 1"]);
  });

  it("of a call that waits have the absent half as null", () => {
    const messages = encoded([begin, step(first), call("1"), result("1"), ask("2"), stepEnd, end], inPieces);
    expect(brief(messages).slice(3)).toEqual(["tool_return: 1", "approval_request", "approval_request"]);
    expect(messages.slice(-2).map((one) => one["tool_call"])).toEqual([
      { name: "t", arguments: null, tool_call_id: "2" },
      { name: null, arguments: "{}", tool_call_id: "2" },
    ]);
  });
});

describe("what the model says by a call", () => {
  const spoken = [
    begin,
    step(first),
    thought("Hm"),
    call("1", "send_message", '{"message":"Hi"}'),
    text("Hi"),
    result("1", "send_message"),
    stepEnd,
    end,
  ];

  it("is shown as what the assistant says", () => {
    expect(brief(encoded(spoken))).toEqual(["ping", "reasoning: Hm", "assistant: Hi"]);
    expect(brief(encoded(spoken, inPieces))).toEqual(["ping", "reasoning: Hm", "assistant: Hi"]);
  });

  it("is shown as a call if the client wants that, or if it has no text", () => {
    const asCall = ["ping", "reasoning: Hm", "tool_call: 1", "tool_return: 1"];
    expect(brief(encoded(spoken, { messageTool: null }))).toEqual(asCall);
    expect(brief(encoded(spoken, { messageTool: { name: "send_message", argument: "text" } }))).toEqual(asCall);
  });
});

test("a compaction is shown to clients that ask for it", () => {
  const id = "0198f1f0-0000-7000-8000-00000000000c";
  const tokens = { messages: 4, tokensBefore: 9, tokensAfter: 3 };
  const compaction: EventBody = { type: "compaction", id, strategy: "recursive", ...tokens, summary: "Short." };
  const events = [begin, compaction, step(first), text("x"), stepEnd, end];
  expect(brief(encoded(events))).toEqual(["ping", "assistant: x"]);
  expect(brief(encoded(events, { withCompactions: true }))).toEqual([
    "ping",
    "event",
    "summary: Short.",
    "assistant: x",
  ]);
});
