// From neutral requests to the three wire formats: what must be true of each body, whatever the history holds.
import fc from "fast-check";
import { toAnthropicRequest } from "../../../../src/model/llm/anthropic/to-request.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { toChatRequest } from "../../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../../src/model/llm/openai/to-responses-request.ts";
import { sealSignature } from "../../../../src/model/llm/wire/thought-signature.ts";
import type { ContentPart, Message } from "../../../../src/base/message/message.ts";
import { checkBody, type WireApi } from "../../../support/journal-checks.ts";
import { assistantCalls, requestOf, toolReturns, userSays, weatherTool } from "../../../support/model-events.ts";

const origin = "anthropic/test-model";
const anthropic = (request: ModelRequest): ReturnType<typeof toAnthropicRequest> =>
  toAnthropicRequest(request, { model: "test-model", origin });
const chat = (request: ModelRequest): ReturnType<typeof toChatRequest> =>
  toChatRequest(request, { model: "test-model", limitField: "max_tokens", stateChannel: "joined" });
const responses = (request: ModelRequest): ReturnType<typeof toResponsesRequest> =>
  toResponsesRequest(request, { model: "test-model", origin: "openai/test-model" });

const bodies: Readonly<Record<WireApi, (request: ModelRequest) => object>> = { anthropic, chat, responses };
const apis = ["anthropic", "chat", "responses"] as const;

const says = (...content: ContentPart[]): Message => ({ role: "assistant", content });
const thought = (text: string, signature?: string): ContentPart => ({
  type: "thought",
  text,
  ...(signature === undefined ? {} : { signature }),
});
const signed = sealSignature(origin, "thinking", "c2ln");

describe.each(apis)("%s", (api) => {
  const body = (request: ModelRequest): object => bodies[api](request);

  it.each<readonly [string, readonly (Message | string)[]]>([
    ["nothing at all", []],
    ["a first message that is the assistant's", [says({ type: "text", text: "hi" }), "hello"]],
    [
      "two messages of one role",
      ["one", "two", says({ type: "text", text: "a" }), says({ type: "text", text: "b" }), "c"],
    ],
    [
      "empty and blank texts",
      ["hi", says({ type: "text", text: "" }), userSays("  "), says({ type: "text", text: "\n" }), "x"],
    ],
    [
      "results in one message for each call",
      ["hi", assistantCalls(["1", "{}"], ["2", "{}"]), toolReturns("1", "a"), toolReturns("2", "b"), "then"],
    ],
    ["a result without text", ["hi", assistantCalls(["1", "{}"]), toolReturns("1", "")]],
    [
      "arguments that are no object",
      [
        "hi",
        assistantCalls(["1", "[1"], ["2", "[]"], ["3", '"x"'], ["4", ""], ["5", "null"]),
        ...["1", "2", "3", "4", "5"].map((id) => toolReturns(id, "x")),
      ],
    ],
    [
      "the same id in two replies",
      ["hi", assistantCalls(["0", "{}"]), toolReturns("0", "a"), assistantCalls(["0", "{}"]), toolReturns("0", "b")],
    ],
    [
      "the same id twice in one reply",
      ["hi", assistantCalls(["0", "{}"], ["0", "{}"]), toolReturns("0", "a"), toolReturns("0", "b")],
    ],
    [
      "ids that are not valid",
      [
        "hi",
        assistantCalls(["functions.a:0", "{}"], ["x".repeat(90), "{}"], ["", "{}"]),
        toolReturns("functions.a:0", "a"),
        toolReturns("x".repeat(90), "b"),
        toolReturns("", "c"),
      ],
    ],
    [
      "a name that a model made up",
      ["hi", says({ type: "tool-call", callId: "1", name: "my tool/ü", arguments: "{}" }), toolReturns("1", "x")],
    ],
    ["a reply that is only a thought", ["hi", says(thought("hm", signed)), "and?"]],
  ])("accepts a history with %s", (_title, messages) => {
    expect(checkBody(api, body(requestOf(messages)))).toEqual([]);
  });

  it("sends neither lone surrogates nor NUL, even if the model wrote them as escapes", () => {
    const bad = "a\ud800b\u0000c";
    const written = ['{"city":"\\ud800"}', '{"city":"\\u0000"}', '{"\\u0000":["\\u0000"]}', bad];
    const calls = written.map((text, at) => [String(at), text] as const);
    const request = requestOf(
      [
        bad,
        assistantCalls(...calls),
        ...calls.map(([id]) => toolReturns(id, bad)),
        says(thought(bad, signed)),
        bad,
        {
          role: "user",
          content: [
            { type: "state", text: bad, isMaterial: true },
            { type: "state", text: bad },
          ],
        },
      ],
      {
        system: { instructions: bad, memory: bad },
        tools: [{ ...weatherTool, description: bad, parameters: { type: "object", description: bad } }],
      },
    );
    const strings = stringsIn(body(request));
    expect(strings.filter((text) => !text.isWellFormed() || text.includes("\u0000"))).toEqual([]);
    expect(strings.join()).not.toMatch(/\\ud800|\\u0000/i);
  });

  it("keeps escapes that only look like NUL byte for byte", () => {
    const text = '{"path":"C:\\\\u0000"}';
    const strings = stringsIn(body(requestOf(["hi", assistantCalls(["1", text]), toolReturns("1", "x")])));
    expect(strings.some((each) => each === text || each === "C:\\u0000")).toBe(true);
  });

  it("sends a message with more calls than a provider accepts as several, each with its results", () => {
    const ids = Array.from({ length: 300 }, (_none, at) => `call_${at}`);
    const messages = [
      "hi",
      says({ type: "text", text: "All of them." }, ...assistantCalls(...ids.map((id) => [id, "{}"] as const)).content),
      ...ids.map((id) => toolReturns(id, `result of ${id}.`)),
      "and now?",
    ];
    const sent = body(requestOf(messages));
    expect(checkBody(api, sent)).toEqual([]);
    const text = JSON.stringify(sent);
    for (const id of ids) expect(text.split(`result of ${id}.`)).toHaveLength(2);
    expect(text.indexOf("All of them.")).toBeLessThan(text.indexOf("call_0"));
    expect(text.indexOf("and now?")).toBeGreaterThan(text.indexOf("result of call_299."));
  });

  it("leaves out absent parts", () => {
    const request = requestOf(["hi"], { system: { instructions: "", memory: " " }, tools: [] });
    expect(Object.keys(body(request))).not.toEqual(expect.arrayContaining(["tools"]));
    expect(JSON.stringify(body(request))).not.toMatch(/system|instructions|tool_choice/);
  });

  it("sends the same bytes for the same request", () => {
    const request = requestOf(["hi", assistantCalls(["bad id", "{"]), toolReturns("bad id", "x")]);
    expect(JSON.stringify(body(request))).toBe(JSON.stringify(body(structuredClone(request))));
  });

  it("satisfies the provider's rules for any history whose calls have results", () => {
    fc.assert(
      fc.property(histories, (messages) => {
        expect(checkBody(api, body(requestOf(messages)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("anthropic", () => {
  it("puts results before text, straight after their calls, in one user message", () => {
    const { messages } = anthropic(
      requestOf([
        "hi",
        assistantCalls(["1", "{}"], ["2", "{}"]),
        toolReturns("1", "a"),
        toolReturns("2", "b", "failed"),
        "next",
      ]),
    );
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "1", content: "a" },
      { type: "tool_result", tool_use_id: "2", content: "b", is_error: true },
      { type: "text", text: "next", cache_control: { type: "ephemeral" } },
    ]);
  });

  it("sets four cache breakpoints: last tool, instructions, memory, last message", () => {
    const body = anthropic(
      requestOf(["one", says({ type: "text", text: "two" }), "three"], {
        tools: [{ ...weatherTool, name: "first" }, weatherTool],
      }),
    );
    const marks = [body.tools, body.system, body.messages.flatMap(({ content }) => content as object[])];
    expect(marks.map((list) => (list as object[]).map((item) => "cache_control" in item))).toEqual([
      [false, true],
      [true, true],
      [false, false, true],
    ]);
  });

  it("keeps arguments that are not an object visible to the model", () => {
    const { messages } = anthropic(
      requestOf([
        "hi",
        assistantCalls(["1", '{"city": Oslo'], ["2", ""]),
        toolReturns("1", "x"),
        toolReturns("2", "x"),
      ]),
    );
    expect(messages[1]?.content).toMatchObject([{ input: { malformed_arguments: '{"city": Oslo' } }, { input: {} }]);
  });

  it("sends back signed and redacted thoughts of this model, and no others", () => {
    const reply = says(
      thought("mine", signed),
      thought("", sealSignature(origin, "redacted", "RED")),
      thought("of another model", sealSignature("anthropic/other", "thinking", "x")),
      thought("unsigned"),
      { type: "text", text: "so" },
    );
    expect(anthropic(requestOf(["hi", reply, "more"])).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "mine", signature: "c2ln" },
      { type: "redacted_thinking", data: "RED" },
      { type: "text", text: "so" },
    ]);
  });

  it("sends state entries of turns without a reply after the next message, because no user's message may follow one", () => {
    const asked = (text: string): Message => ({
      role: "user",
      content: [
        { type: "text", text },
        { type: "state", text: `State at ${text}.` },
      ],
    });
    const blank = says({ type: "text", text: " " });
    const history = [
      asked("one"),
      asked("two"),
      blank,
      asked("three"),
      says({ type: "text", text: "So." }),
      asked("four"),
    ];
    const { messages } = toAnthropicRequest(requestOf(history), { model: "claude-opus-5", origin });
    const texts = messages.map(({ role, content }) => [
      role,
      ...(content as { text: string }[]).map(({ text }) => text),
    ]);
    expect(texts).toEqual([
      ["user", "one", "two", "three"],
      ["system", "State at one.\n\nState at two.\n\nState at three."],
      ["assistant", "So."],
      ["user", "four"],
      ["system", "State at four."],
    ]);
  });

  it("forces some tool when one is required, and none when there are only old calls", () => {
    expect(anthropic(requestOf(["hi"], { toolChoice: "required" })).tool_choice).toEqual({ type: "any" });
    const summary = anthropic(requestOf(["hi", assistantCalls(["1", "{}"]), toolReturns("1", "x")], { tools: [] }));
    expect(summary).toMatchObject({ tools: [{ name: "get_weather" }], tool_choice: { type: "none" } });
  });
});

describe("chat", () => {
  it("puts one system message first and each result straight after the calls", () => {
    const { messages } = chat(
      requestOf(["hi", assistantCalls(["1", '{ "city": "Oslo" }']), toolReturns("1", "a"), "next"]),
    );
    expect(messages).toEqual([
      { role: "system", content: "You are a test.\n\n<human>Ada</human>" },
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "get_weather", arguments: '{ "city": "Oslo" }' } }],
      },
      { role: "tool", tool_call_id: "1", content: "a" },
      { role: "user", content: "next" },
    ]);
  });

  it("requests usage, and uses the server's name of the limit", () => {
    const body = toChatRequest(requestOf(["hi"]), {
      model: "m",
      limitField: "max_completion_tokens",
      stateChannel: "system",
    });
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true }, max_completion_tokens: 1000 });
    expect(chat(requestOf(["hi"], { toolChoice: "required" }))).toMatchObject({
      max_tokens: 1000,
      tool_choice: "required",
    });
  });
});

describe("chat, text beside calls", () => {
  const reply = says({ type: "text", text: "Noted." }, ...assistantCalls(["1", "{}"]).content);
  const running = ["hi", reply, toolReturns("1", "a")];
  const order = (messages: readonly (Message | string)[], stateChannel: "system" | "joined") =>
    toChatRequest(requestOf(messages), { model: "m", limitField: "max_tokens", stateChannel })
      .messages.filter(({ role }) => role !== "system")
      .map((message) => [message.role, message.content, "tool_calls" in message]);

  it.each([
    ["at OpenAI, also before a user's message", [...running, "next"], "system"],
    ["at another server, before the next reply", [...running, says({ type: "text", text: "So." })], "joined"],
  ] as const)("is in the message with the calls: %s", (_case, messages, channel) => {
    expect(order(messages, channel).slice(1, 3)).toEqual([
      ["assistant", "Noted.", true],
      ["tool", "a", false],
    ]);
  });

  it("follows the results at another server if a user's message does, which its template may refuse there", () => {
    expect(order([...running, "next"], "joined").slice(1)).toEqual([
      ["assistant", null, true],
      ["tool", "a", false],
      ["assistant", "Noted.", false],
      ["user", "next", false],
    ]);
  });
});

describe("responses", () => {
  it("stores nothing at the provider", () => {
    const body = responses(requestOf(["hi"]));
    expect(body).toMatchObject({ store: false, instructions: "You are a test.\n\n<human>Ada</human>" });
  });

  it("never requests fewer tokens than the API allows", () => {
    expect(responses(requestOf(["hi"], { maxOutputTokens: 5 })).max_output_tokens).toBe(16);
  });
});

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const anyText = fc.string({ unit: "binary", maxLength: 6 });
const plainMessage: fc.Arbitrary<readonly Message[]> = fc
  .tuple(fc.constantFrom("user" as const, "assistant" as const), fc.array(anyText, { maxLength: 3 }))
  .map(([role, texts]) => [{ role, content: texts.map((text) => ({ type: "text", text })) }]);
const toolStep: fc.Arbitrary<readonly Message[]> = fc
  .array(fc.tuple(fc.string({ maxLength: 3 }), fc.oneof(anyText, fc.json()), anyText), { minLength: 1, maxLength: 3 })
  .map((calls) => [
    says(thought("hm", signed), ...assistantCalls(...calls.map(([id, json]) => [id, json] as const)).content),
    ...calls.map(([id, , text]) => toolReturns(id, text)),
  ]);
const histories = fc.array(fc.oneof(plainMessage, toolStep), { maxLength: 8 }).map((steps) => steps.flat());
