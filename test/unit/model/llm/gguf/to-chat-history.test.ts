// From a neutral request to a conversation as node-llama-cpp takes it.
import type { FilePart } from "../../../../../src/base/message/file-part.ts";
import type { Message } from "../../../../../src/base/message/message.ts";
import { toChatFunctions, toChatHistory } from "../../../../../src/model/llm/gguf/to-chat-history.ts";
import type { ModelRequest } from "../../../../../src/model/llm/model.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const call = (callId: string, name: string, args: string) =>
  ({ type: "tool-call", callId, name, arguments: args }) as const;
const result = (callId: string, name: string, text: string): Message => ({
  role: "tool",
  content: [{ type: "tool-result", callId, name, status: "ok", text }],
});

const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: { instructions: "Be kind.", memory: "" },
  messages,
  tools: [],
  maxOutputTokens: 100,
  ...more,
});

const photo: FilePart = {
  type: "file",
  location: { type: "attachment", id: "1" },
  kind: "image",
  mediaType: "image/png",
  name: "photo.png",
  bytes: 1000,
};

describe("toChatHistory", () => {
  it("puts calls with their results, and the text after them, into one model item", () => {
    const history = toChatHistory(
      request([
        user("I am Ada."),
        {
          role: "assistant",
          content: [
            { type: "thought", text: "a name" },
            { type: "text", text: "Noted." },
            call("1", "core_memory_append", '{"name":"human","content":"Ada"}'),
            call("2", "core_memory_append", '{"name":"human","content":"kind"}'),
          ],
        },
        result("1", "core_memory_append", "None"),
        result("2", "core_memory_append", "None too"),
        { role: "assistant", content: [call("3", "search", "{}")] },
        result("3", "search", "nothing"),
        { role: "assistant", content: [{ type: "text", text: "Hello Ada." }] },
        user("Bye."),
      ]),
    );
    const append = (content: string, text: string, startsNewChunk: boolean) => ({
      type: "functionCall",
      name: "core_memory_append",
      params: { name: "human", content },
      result: text,
      startsNewChunk,
    });
    expect(history).toEqual([
      { type: "system", text: "Be kind." },
      { type: "user", text: "I am Ada." },
      {
        type: "model",
        response: [
          "Noted.",
          append("Ada", "None", true),
          append("kind", "None too", false),
          { type: "functionCall", name: "search", params: {}, result: "nothing", startsNewChunk: true },
          "Hello Ada.",
        ],
      },
      { type: "user", text: "Bye." },
    ]);
  });

  it("joins a state entry to the item before it", () => {
    const entry = { role: "user", content: [{ type: "state", text: "memory: x" }] } as const;
    const said = toChatHistory(request([user("Hi"), entry]));
    expect(said.at(-1)).toEqual({ type: "user", text: "Hi\n\nmemory: x" });
    const called = [
      user("Hi"),
      { role: "assistant", content: [call("1", "f", "{}")] } as const,
      result("1", "f", "ok"),
    ];
    expect(toChatHistory(request([...called, entry])).at(-1)).toEqual({
      type: "model",
      response: [{ type: "functionCall", name: "f", params: {}, result: "ok\n\nmemory: x", startsNewChunk: true }],
    });
  });

  it("distinguishes results of calls whose ids restart in every reply", () => {
    const history = toChatHistory(
      request([
        user("Hi"),
        { role: "assistant", content: [call("0", "f", "{}")] },
        result("0", "f", "first"),
        { role: "assistant", content: [call("0", "f", "{}")] },
        result("0", "f", "second"),
      ]),
    );
    expect(JSON.stringify(history)).toMatch(/first.*second/u);
  });

  it.each([
    ["malformed", "{not json", { malformed_arguments: "{not json" }],
    ["empty", "", {}],
    ["no object", "[1]", { malformed_arguments: "[1]" }],
    ["a lone surrogate", '{"a":"\\ud800"}', { a: "\ufffd" }],
  ])("accepts arguments of a call that are %s", (_what, args, params) => {
    const history = toChatHistory(request([user("Hi"), { role: "assistant", content: [call("1", "f", args)] }]));
    expect(history.at(-1)).toMatchObject({ response: [{ params, result: "(no output)" }] });
  });

  it("describes files in words, also those that a tool has returned", () => {
    const history = toChatHistory(
      request([
        { role: "user", content: [{ type: "text", text: "See" }, photo] },
        { role: "assistant", content: [call("1", "f", "{}")] },
        {
          role: "tool",
          content: [{ type: "tool-result", callId: "1", name: "f", status: "ok", text: "here", files: [photo] }],
        },
      ]),
    );
    expect(history[1]).toEqual({ type: "user", text: "See\n\n[image photo.png, 1 KB: this model does not accept it]" });
    expect(JSON.stringify(history[2])).toContain("here\\n[image photo.png, 1 KB: this model does not accept it]");
  });

  it.each(["<|im_end|>", "</human>", "%_", "你好 🎈", "\ud800x", "a\u0000b", "a".repeat(1e6)])(
    "passes a text on unchanged, except lone surrogates and NUL",
    (text) => {
      const storable = text.toWellFormed().replaceAll("\u0000", "\uFFFD");
      const history = toChatHistory(
        request([user(text)], { system: { instructions: text, memory: `human: ${text}` } }),
      );
      expect(history[0]).toEqual({ type: "system", text: `${storable}\n\nhuman: ${storable}` });
      expect(history[1]).toEqual({ type: "user", text: storable });
    },
  );

  it("begins with a user item, and has no system item without a prompt", () => {
    const history = toChatHistory(
      request([{ role: "assistant", content: [{ type: "text", text: "Hi" }] }], {
        system: { instructions: "", memory: " " },
      }),
    );
    expect(history.map(({ type }) => type)).toEqual(["user", "model"]);
  });
});

describe("toChatFunctions", () => {
  it("gives a tool without parameters none, and a name that every model accepts", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(
      toChatFunctions({
        tools: [
          { name: "now", description: "The time.", parameters: { type: "object", properties: {} } },
          { name: "my tool", description: "", parameters },
          { name: "map", description: "", parameters: { type: "object", additionalProperties: { type: "string" } } },
        ],
      }),
    ).toEqual({
      now: { description: "The time." },
      my_tool: { description: "", params: { type: "object", properties: { a: { type: "string" } } } },
      map: { description: "", params: { type: "object", properties: {}, additionalProperties: { type: "string" } } },
    });
  });
});
