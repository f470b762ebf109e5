// From the three wire streams to neutral events.
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { fromAnthropicStream } from "../../../../src/model/llm/anthropic/from-stream.ts";
import type { ModelEvent } from "../../../../src/model/llm/model.ts";
import { fromChatStream } from "../../../../src/model/llm/openai/from-chat-stream.ts";
import { fromResponsesStream } from "../../../../src/model/llm/openai/from-responses-stream.ts";
import { describeProvider } from "../../../../src/model/llm/failure/model-errors.ts";
import { collect, rejectionOf, streamOf } from "../../../support/model-events.ts";

const anthropic = (...events: object[]): Promise<ModelEvent[]> =>
  collect(
    fromAnthropicStream(streamOf(events as Anthropic.RawMessageStreamEvent[]), {
      origin: () => "anthropic/m",
      refused: () => 0,
    }),
  );

const chat = (...chunks: object[]): Promise<ModelEvent[]> => chatAfter("user", ...chunks);
const chatAfter = (last: "user" | "results", ...chunks: object[]): Promise<ModelEvent[]> => {
  let count = 0;
  const newCallId = (): string => `made-${(count += 1)}`;
  const options = { origin: "openai/m", answersResults: last === "results", isDone: () => false, newCallId };
  return collect(fromChatStream(streamOf(chunks as OpenAI.ChatCompletionChunk[]), options));
};

const provider = describeProvider({ id: "openai", brand: "OpenAI", model: "m", keyOption: "openaiApiKey", apiKey: "" });
const responses = (...events: object[]): Promise<ModelEvent[]> =>
  collect(
    fromResponsesStream(streamOf(events as OpenAI.Responses.ResponseStreamEvent[]), {
      origin: "openai/m",
      provider,
      refused: () => 0,
    }),
  );

describe("anthropic", () => {
  const start = (usage: object = {}): object => ({ type: "message_start", message: { usage } });
  const block = (index: number, content_block: object, ...deltas: object[]): object[] => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const stop = (stop_reason: string | null, usage: object = {}): object[] => [
    { type: "message_delta", delta: { stop_reason }, usage },
    { type: "message_stop" },
  ];
  const json = (partial_json: string): object => ({ type: "input_json_delta", partial_json });
  const tool = (id: string, input: object = {}): object => ({ type: "tool_use", id, name: "t", input });

  it("counts cache reads and writes as input", async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 };
    const later = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 42 };
    expect(await anthropic(start(usage), ...stop("end_turn", later))).toEqual([
      { type: "usage", usage: { inputTokens: 240, outputTokens: 1, cachedInputTokens: 200 } },
      { type: "end", stopReason: "end", usage: { inputTokens: 240, outputTokens: 42, cachedInputTokens: 200 } },
    ]);
  });

  it("emits a call when its block is closed, with its arguments unchanged", async () => {
    const events = await anthropic(
      start(),
      ...block(0, tool("1"), json('{"a":'), json(" 1 }")),
      ...block(1, tool("2")),
      ...block(2, tool("3", { whole: true })),
      ...stop("tool_use"),
    );
    expect(events.slice(0, 3)).toEqual([
      { type: "tool-call", callId: "1", name: "t", arguments: '{"a": 1 }' },
      { type: "tool-call", callId: "2", name: "t", arguments: "{}" },
      { type: "tool-call", callId: "3", name: "t", arguments: '{"whole":true}' },
    ]);
  });

  it("closes each thought with its signature, redacted ones too", async () => {
    const events = await anthropic(
      start(),
      ...block(0, { type: "redacted_thinking", data: "RED" }),
      ...block(
        1,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm" },
        { type: "signature_delta", signature: "SIG" },
      ),
      ...stop("end_turn"),
    );
    expect(events.slice(0, 3)).toEqual([
      { type: "thought-signature", signature: "anthropic/m#redacted:RED" },
      { type: "thought-delta", text: "hm" },
      { type: "thought-signature", signature: "anthropic/m#thinking:SIG" },
    ]);
  });

  it.each([
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    [null, "end"],
  ])("reads the stop reason %s as %s", async (wire, stopReason) => {
    expect((await anthropic(start(), ...stop(wire))).at(-1)).toMatchObject({ stopReason });
  });

  it("keeps `length` if a call was truncated", async () => {
    const events = await anthropic(start(), ...block(0, tool("1"), json('{"a":')), ...stop("max_tokens"));
    expect(events).toMatchObject([
      { type: "tool-call", arguments: '{"a":' },
      { type: "end", stopReason: "length" },
    ]);
  });

  it.each<readonly [string, object[]]>([
    ["without message_stop", [start(), ...block(0, { type: "text", text: "Hi" })]],
    [
      "with a piece of a block that never began",
      [start(), { type: "content_block_delta", index: 3, delta: json("{") }],
    ],
    ["that is empty", []],
    [
      "that stops for a tool call without one",
      [start(), ...block(0, { type: "text", text: "Hi" }), ...stop("tool_use")],
    ],
  ])("refuses a stream %s", async (_title, events) => {
    expect(await rejectionOf(anthropic(...events))).toMatchObject({ code: "model_protocol", retryable: true });
  });

  it("ignores unknown events", async () => {
    const events = await anthropic(
      start(),
      { type: "news" },
      ...block(0, { type: "server_tool_use" }, json("{")),
      ...stop("end_turn"),
    );
    expect(events.map((event) => event.type)).toEqual(["end"]);
  });
});

describe("chat", () => {
  const delta = (fields: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta: fields, finish_reason }],
  });
  const call = (index: number | undefined, fields: { id?: string; name?: string; json?: string }): object => ({
    ...(index === undefined ? {} : { index }),
    ...(fields.id === undefined ? {} : { id: fields.id }),
    function: {
      ...(fields.name === undefined ? {} : { name: fields.name }),
      ...(fields.json === undefined ? {} : { arguments: fields.json }),
    },
  });
  const calls = async (...pieces: object[]): Promise<(readonly [string, string, string])[]> => {
    const events = await chat(...pieces.map((piece) => delta({ tool_calls: [piece] })), delta({}, "tool_calls"));
    return events.flatMap((event) =>
      event.type === "tool-call" ? [[event.callId, event.name, event.arguments] as const] : [],
    );
  };

  it("seals the thoughts that DeepSeek expects back: before calls, and after results", async () => {
    const thinks = delta({ reasoning_content: "Hm." });
    const says = delta({ content: "So." });
    const calls = delta({ tool_calls: [call(0, { id: "a", name: "x", json: "{}" })] });
    const seal = { type: "thought-signature", signature: "openai/m#reasoning_content:" };
    const thought = { type: "thought-delta", text: "Hm." };
    const text = { type: "text-delta", text: "So." };
    const made = { type: "tool-call", callId: "a", name: "x", arguments: "{}" };
    const end = delta({}, "stop");
    expect((await chat(thinks, says, end)).slice(0, -1)).toEqual([thought, text]);
    expect((await chat(thinks, calls, end)).slice(0, -1)).toEqual([thought, seal, made]);
    expect((await chatAfter("results", thinks, says, end)).slice(0, -1)).toEqual([thought, seal, text]);
    expect((await chatAfter("results", delta({ reasoning: "Hm." }), says, end)).slice(0, -1)).toEqual([thought, text]);
  });

  it("keeps what a server adds to a call as a signature before the call", async () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const first = { ...call(0, { id: "a", name: "x", json: "{}" }), extra_content };
    const pieces = delta({ tool_calls: [first, call(1, { id: "b", name: "y", json: "{}" })] });
    expect((await chat(pieces, delta({}, "tool_calls"))).slice(0, -1)).toEqual([
      { type: "thought-signature", signature: `openai/m#extra_content:${JSON.stringify(extra_content)}` },
      { type: "tool-call", callId: "a", name: "x", arguments: "{}" },
      { type: "tool-call", callId: "b", name: "y", arguments: "{}" },
    ]);
  });

  it.each<readonly [string, object[], readonly (readonly [string, string, string])[]]>([
    [
      "pieces of several calls that interleave",
      [
        call(0, { id: "a", name: "x", json: "" }),
        call(1, { id: "b", name: "y", json: '{"b"' }),
        call(0, { json: '{"a":1}' }),
        call(1, { json: ":2}" }),
      ],
      [
        ["a", "x", '{"a":1}'],
        ["b", "y", '{"b":2}'],
      ],
    ],
    [
      "whole calls that all have the index 0",
      [call(0, { id: "a", name: "x", json: "{}" }), call(0, { id: "b", name: "x", json: '{"b":2}' })],
      [
        ["a", "x", "{}"],
        ["b", "x", '{"b":2}'],
      ],
    ],
    [
      "calls of one index that differ by id only",
      [call(0, { id: "a", name: "x" }), call(0, { id: "b", name: "y", json: "{}" })],
      [
        ["a", "x", "{}"],
        ["b", "y", "{}"],
      ],
    ],
    [
      "whole calls without index or id",
      [call(undefined, { name: "x", json: '{"a":1}' }), call(undefined, { name: "y", json: "{}" })],
      [
        ["made-1", "x", '{"a":1}'],
        ["made-2", "y", "{}"],
      ],
    ],
    [
      "name and id repeated in every piece",
      [call(0, { id: "a", name: "x", json: '{"a"' }), call(0, { id: "a", name: "x", json: ":1}" })],
      [["a", "x", '{"a":1}']],
    ],
    [
      "a name repeated without id",
      [call(0, { name: "x", json: '{"a"' }), call(0, { name: "x", json: ":1}" })],
      [["made-1", "x", '{"a":1}']],
    ],
    ["no arguments at all", [call(0, { id: "a", name: "x" })], [["a", "x", "{}"]]],
    [
      "an id that comes as an empty text",
      [call(0, { id: "a", name: "x", json: "{" }), call(0, { id: "", json: "}" })],
      [["a", "x", "{}"]],
    ],
  ])("assembles %s", async (_title, pieces, expected) => {
    expect(await calls(...pieces)).toEqual(expected);
  });

  it.each(["reasoning_content", "reasoning"])("reads %s as thought", async (field) => {
    expect((await chat(delta({ [field]: "hm" }), delta({}, "stop")))[0]).toEqual({ type: "thought-delta", text: "hm" });
  });

  it.each([
    ["stop", "end"],
    ["length", "length"],
    ["model_length", "length"],
    ["content_filter", "refusal"],
    ["eos", "end"],
  ])("reads the finish reason %s as %s", async (wire, stopReason) => {
    expect((await chat(delta({ content: "x" }), delta({}, wire))).at(-1)).toMatchObject({ stopReason });
  });

  it.each(["insufficient_system_resource", "error", "abort"])("treats the finish reason %s as a cut", async (wire) => {
    const cut = chat(delta({ tool_calls: [call(0, { id: "a", name: "x", json: "{}" })] }), delta({}, wire));
    expect(await rejectionOf(cut)).toMatchObject({ code: "model_protocol", retryable: true });
  });

  it("reads content in parts, thoughts and texts", async () => {
    const thinking = (thought: unknown): object => ({ content: [{ type: "thinking", thinking: thought }] });
    const events = await chat(
      delta(thinking([{ type: "text", text: "hm" }])),
      delta(thinking("hm")),
      delta({
        content: [
          { type: "text", text: "Hi" },
          { type: "reference", reference_ids: [1] },
        ],
      }),
      delta({ content: "!" }, "stop"),
    );
    expect(events.slice(0, -1)).toEqual([
      { type: "thought-delta", text: "hm" },
      { type: "thought-delta", text: "hm" },
      { type: "text-delta", text: "Hi" },
      { type: "text-delta", text: "!" },
    ]);
  });

  it("emits a refusal with the model's text", async () => {
    expect(await chat(delta({ refusal: "No." }), delta({}, "stop"))).toMatchObject([
      { type: "text-delta", text: "No." },
      { type: "end", stopReason: "refusal" },
    ]);
  });

  it("uses the last reported usage, including cached tokens", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } };
    const events = await chat(
      delta({ content: "x" }, "stop"),
      { choices: [], usage: { prompt_tokens: 1 } },
      { choices: [], usage },
    );
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6 } });
  });

  it("emits no call if the stream is cut off", async () => {
    const cut = chat(delta({ tool_calls: [call(0, { id: "a", name: "x", json: '{"a": "tru' })] }));
    expect(await rejectionOf(cut)).toMatchObject({ code: "model_protocol" });
  });
});

describe("responses", () => {
  const completed = (response: object = { status: "completed" }): object => ({ type: "response.completed", response });
  const done = (item: object): object => ({ type: "response.output_item.done", item });

  it("keeps a reasoning item as the thought's signature, if its content is encrypted", async () => {
    const events = await responses(
      { type: "response.reasoning_summary_part.added", summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", delta: "one" },
      { type: "response.reasoning_summary_part.added", summary_index: 1 },
      { type: "response.reasoning_summary_text.delta", delta: "two" },
      done({ type: "reasoning", id: "rs_1", encrypted_content: "ENC" }),
      done({ type: "reasoning", id: "rs_2" }),
      done({ type: "function_call", call_id: "1", name: "t", arguments: "{}" }),
      completed(),
    );
    expect(events).toMatchObject([
      { type: "thought-delta", text: "one" },
      { type: "thought-delta", text: "\n\n" },
      { type: "thought-delta", text: "two" },
      {
        type: "thought-signature",
        signature: 'openai/m#reasoning-item:{"type":"reasoning","id":"rs_1","encrypted_content":"ENC"}',
      },
      { type: "tool-call", callId: "1" },
      { type: "end", stopReason: "tool-calls" },
    ]);
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "refusal"],
  ])("reads an answer that is incomplete for %s as %s", async (reason, stopReason) => {
    const response = {
      status: "incomplete",
      incomplete_details: { reason },
      usage: { input_tokens: 5, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } },
    };
    expect(await responses({ type: "response.incomplete", response })).toEqual([
      { type: "end", stopReason, usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 4 } },
    ]);
  });

  it.each([
    ["server_error", "model_unavailable"],
    ["rate_limit_exceeded", "model_rate_limit"],
    ["context_length_exceeded", "context_overflow"],
    ["invalid_prompt", "model_request"],
  ])("throws a provider's error %s as %s", async (wire, code) => {
    const failed = { type: "response.failed", response: { error: { code: wire, message: "No" } } };
    expect(await rejectionOf(responses(failed))).toMatchObject({ code });
    expect(await rejectionOf(responses({ type: "error", code: wire, message: "No" }))).toMatchObject({ code });
  });

  it("refuses a stream that ends early", async () => {
    expect(await rejectionOf(responses({ type: "response.output_text.delta", delta: "Hi" }))).toMatchObject({
      code: "model_protocol",
    });
  });
});
