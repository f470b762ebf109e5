// The parts of a request that do not change between calls are converted once.
import { toAnthropicRequest } from "../../../../src/model/llm/anthropic/to-request.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { toChatRequest } from "../../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../../src/model/llm/openai/to-responses-request.ts";
import { cachedForTexts } from "../../../../src/model/llm/wire/wire-messages.ts";
import type { Message } from "../../../../src/base/message/message.ts";

const text = (role: Message["role"], words: string): Message => ({ role, content: [{ type: "text", text: words }] });
const call: Message = {
  role: "assistant",
  content: [
    { type: "text", text: "Looking." },
    { type: "tool-call", callId: "call_1", name: "look", arguments: "{}" },
  ],
};
const result: Message = {
  role: "tool",
  content: [{ type: "tool-result", callId: "call_1", name: "look", status: "ok", text: "Nothing." }],
};
const thought: Message = {
  role: "assistant",
  content: [{ type: "thought", text: "Hm." }, ...call.content.slice(0, 1)],
};

test("only messages of text are cached", () => {
  const converted: Message[] = [];
  const convert = cachedForTexts((message: Message, mark: number) => {
    converted.push(message);
    return { mark };
  });
  const said = text("user", "Hello.");
  expect(convert(said, 1)).toBe(convert(said, 2));
  expect(converted).toEqual([said]);
  const others = [call, result, thought, { ...said, results: [result] }];
  for (const message of others) expect([convert(message, 1), convert(message, 2)]).toEqual([{ mark: 1 }, { mark: 2 }]);
});

const adapters: readonly [string, (request: ModelRequest) => object][] = [
  ["chat", (request) => toChatRequest(request, { model: "m", limitField: "max_tokens", stateChannel: "joined" })],
  ["responses", (request) => toResponsesRequest(request, { model: "m", origin: "openai/m" })],
  ["anthropic", (request) => toAnthropicRequest(request, { model: "m", origin: "anthropic/m" })],
];

test.each(adapters)("a request of %s is the same whether or not its messages were sent before", (_, adapt) => {
  const messages = [
    text("user", "One\u0000"),
    text("assistant", "two"),
    text("assistant", "three"),
    text("user", " "),
    text("user", "four"),
    call,
    result,
    text("assistant", "five"),
    text("user", "six"),
    structuredClone(call),
    structuredClone(result),
    thought,
    text("user", "seven"),
  ];
  const request = { system: { instructions: "i", memory: "m" }, state: "state", tools: [], maxOutputTokens: 9 };
  const same = (shown: readonly Message[]) =>
    expect(adapt({ ...request, messages: shown })).toEqual(adapt({ ...request, messages: structuredClone(shown) }));
  for (let end = 1; end <= messages.length; end += 1) same(messages.slice(0, end));
  // The id of the second call is then no longer a repeated one.
  same(messages.slice(8));
});
