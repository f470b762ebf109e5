// Each check of a request body fails for a body that violates only its rule.
import { checkBody, type WireApi } from "../support/journal-checks.ts";

const user = { role: "user", content: "hi" };
const blocks = (...content: object[]): object => ({ role: "user", content });
const text = (words: string): object => ({ type: "text", text: words });
const use = (id: string, input: unknown = {}): object => ({ type: "tool_use", id, name: "t", input });
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "x" });
const assistant = (...content: object[]): object => ({ role: "assistant", content });
const tools = [{ name: "t" }];

const chatCall = (id: string, json: unknown = "{}"): object => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "t", arguments: json } }],
});
const chatResult = (id: string): object => ({ role: "tool", tool_call_id: id, content: "x" });
const call = (id: string, json: unknown = "{}"): object => ({
  type: "function_call",
  call_id: id,
  name: "t",
  arguments: json,
});
const output = (id: string): object => ({ type: "function_call_output", call_id: id, output: "x" });

const good: readonly (readonly [WireApi, object])[] = [
  [
    "anthropic",
    { tools, messages: [blocks(text("hi")), assistant(text("a"), use("1")), blocks(result("1"), text("b"))] },
  ],
  ["chat", { messages: [{ role: "system", content: "s" }, user, chatCall("1"), chatResult("1"), user] }],
  ["responses", { store: false, input: [user, call("1"), call("2"), output("1"), output("2"), user] }],
];

const anthropicCases: readonly (readonly [string, object])[] = [
  ["the first message is not the user's", { messages: [assistant(text("a"))] }],
  ["message 1 repeats its role", { messages: [blocks(text("a")), blocks(text("b"))] }],
  ["message 0 is empty", { messages: [blocks()] }],
  ["message 0 has an empty text block", { messages: [blocks(text(" "))] }],
  [
    "the input of a tool_use is not an object",
    { tools, messages: [blocks(text("a")), assistant(use("1", "{")), blocks(result("1"))] },
  ],
  [
    "tool_use 1 has no tool_result next",
    { tools, messages: [blocks(text("a")), assistant(use("1")), blocks(text("b"))] },
  ],
  [
    "a text stands before a tool_result",
    { tools, messages: [blocks(text("a")), assistant(use("1")), blocks(text("b"), result("1"))] },
  ],
  ["tool_result 9 has no tool_use before it", { messages: [blocks(result("9"))] }],
  ["message 1 ends with a thought", { messages: [blocks(text("a")), assistant({ type: "thinking", thinking: "x" })] }],
  [
    "an id of a tool_use comes twice",
    { tools, messages: [blocks(text("a")), assistant(use("1"), use("1")), blocks(result("1"))] },
  ],
  [
    "there are tool_use blocks but no tools",
    { messages: [blocks(text("a")), assistant(use("1")), blocks(result("1"))] },
  ],
  ["a system block is empty", { system: [text("")], messages: [blocks(text("a"))] }],
  [
    "more than four cache breakpoints",
    { messages: [blocks(...[1, 2, 3, 4, 5].map(() => ({ ...text("a"), cache_control: {} })))] },
  ],
  ['the tool name "a b" is not valid', { tools: [{ name: "a b" }], messages: [blocks(text("a"))] }],
];

const chatCases: readonly (readonly [string, object])[] = [
  ["the first message is not the user's", { messages: [{ role: "assistant", content: "a" }] }],
  ["a system message is late", { messages: [user, { role: "system", content: "s" }] }],
  ["tool message 9 does not follow its tool call", { messages: [user, chatResult("9")] }],
  ["tool call 1 is not followed by its tool message", { messages: [user, chatCall("1"), user, chatResult("1")] }],
  ["tool call 2 is not followed by its tool message", { messages: [user, chatCall("2")] }],
  ["message 0 is empty", { messages: [{ role: "user", content: "" }] }],
  ["message 1 is empty", { messages: [user, { role: "assistant", content: null }] }],
  ["the arguments of a call are not a string", { messages: [user, chatCall("1", {}), chatResult("1")] }],
  ["the arguments of a call are not a JSON object", { messages: [user, chatCall("1", "[]"), chatResult("1")] }],
  ["the arguments of a call are not JSON", { messages: [user, chatCall("1", "{"), chatResult("1")] }],
  ['the tool name "a b" is not valid', { messages: [user], tools: [{ function: { name: "a b" } }] }],
];

const responsesCases: readonly (readonly [string, object])[] = [
  ["the first item is not the user's", { input: [call("1"), output("1")] }],
  ["output 9 does not follow its call", { input: [user, output("9")] }],
  ["output 2 is empty", { input: [user, call("1"), { type: "function_call_output", call_id: "1", output: "" }] }],
  ["call 1 has no output before the user's next words", { input: [user, call("1"), user] }],
  ["call 1 has no output", { input: [user, call("1")] }],
  ["item 0 is empty", { input: [{ role: "user", content: "" }] }],
  ["a reasoning item that nothing follows", { input: [user, { type: "reasoning", id: "r" }, user] }],
  ["the arguments of a call are not a string", { input: [user, call("1", {}), output("1")] }],
  ["the request would be stored", { store: true, input: [user] }],
  ['the tool name "a b" is not valid', { input: [user], tools: [{ name: "a b" }] }],
];

const many = Array.from({ length: 129 }, (_none, at) => `many_${at}`);
const tooMany: readonly (readonly [WireApi, object])[] = [
  [
    "anthropic",
    { tools, messages: [blocks(text("hi")), assistant(...many.map((id) => use(id))), blocks(...many.map(result))] },
  ],
  [
    "chat",
    {
      messages: [
        user,
        { role: "assistant", content: null, tool_calls: many.map((id) => ({ id, function: { arguments: "{}" } })) },
        ...many.map(chatResult),
      ],
    },
  ],
  ["responses", { store: false, input: [user, ...many.map((id) => call(id)), ...many.map(output)] }],
];

it.each(tooMany)("%s: 129 consecutive calls", (api, body) => {
  expect(checkBody(api, body)).toEqual(["129 calls stand in a row"]);
});

it.each(good)("finds no fault in a valid %s body", (api, body) => {
  expect(checkBody(api, body)).toEqual([]);
});

it.each(anthropicCases)("anthropic: %s", (problem, body) => {
  expect(checkBody("anthropic", body)).toContain(problem);
});

it.each(chatCases)("chat: %s", (problem, body) => {
  expect(checkBody("chat", body)).toContain(problem);
});

it.each(responsesCases)("responses: %s", (problem, body) => {
  expect(checkBody("responses", { store: false, ...body })).toContain(problem);
});
