// Reasoning items of OpenAI on their way from a reply through a conversation back to the API: the same items, in their places.
import { createReplyParts } from "../../../../src/agent/stream-reply.ts";
import { openaiIdentity } from "../../../../src/model/llm/openai/openai-identity.ts";
import { openaiRules, otherRules } from "../../../../src/model/llm/openai/openai-rules.ts";
import { describeProvider } from "../../../../src/model/llm/failure/model-errors.ts";
import { fromResponsesStream } from "../../../../src/model/llm/openai/from-responses-stream.ts";
import { toChatRequest } from "../../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../../src/model/llm/openai/to-responses-request.ts";
import type { ContentPart, Message } from "../../../../src/base/message/message.ts";
import { requestOf, toolReturns } from "../../../support/model-events.ts";

const model = "gpt-5.6-sol";
const origin = `openai/${model}`;

interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The reply as it is stored, after it was read from a stream. */
async function replyWith(items: readonly Item[]): Promise<Message> {
  const events = items.flatMap((item) => [...deltasOf(item), { type: "response.output_item.done", item }]);
  const stream = [...events, { type: "response.completed", response: { status: "completed" } }];
  const parts = createReplyParts();
  const provider = describeProvider({ ...openaiIdentity, model, apiKey: "k", baseUrl: undefined });
  const wire = (async function* () {
    yield* stream;
  })() as unknown as Parameters<typeof fromResponsesStream>[0];
  for await (const event of fromResponsesStream(wire, { origin, provider, refused: () => 0 })) parts.add(event);
  return JSON.parse(JSON.stringify({ role: "assistant", content: parts.all() })) as Message;
}

function deltasOf({ type, summary, content }: Item): readonly object[] {
  if (type === "message") return [{ type: "response.output_text.delta", delta: content }];
  return ((summary ?? []) as { readonly text: string }[]).flatMap(({ text }, summary_index) => [
    { type: "response.reasoning_summary_part.added", summary_index },
    { type: "response.reasoning_summary_text.delta", delta: text },
  ]);
}

const reasoning = (id: string, ...summary: readonly string[]): Item => ({
  id,
  type: "reasoning",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `enc-${id}`,
  status: "completed",
});
const call = (id: string): Item => ({ type: "function_call", call_id: id, name: "get_weather", arguments: "{}" });

function inputAfter(messages: readonly (Message | string)[], asked = model) {
  const rules = openaiRules(asked);
  return toResponsesRequest(requestOf(messages), { model: asked, origin: `openai/${asked}`, rules }).input;
}

it("come back unchanged and in place: several, with parts, and without any text", async () => {
  const items = [reasoning("rs_1", "First.", "Second."), reasoning("rs_2"), call("1"), reasoning("rs_3"), call("2")];
  const reply = await replyWith(items);
  const last = await replyWith([reasoning("rs_4"), { type: "message", content: "Rain." }]);
  const input = inputAfter(["hi", reply, toolReturns("1", "a"), toolReturns("2", "b"), last, "and now?"]);
  expect(input).toEqual([
    { role: "user", content: "hi" },
    ...items,
    { type: "function_call_output", call_id: "1", output: "a" },
    { type: "function_call_output", call_id: "2", output: "b" },
    reasoning("rs_4"),
    { role: "assistant", content: "Rain." },
    { role: "user", content: "and now?" },
  ]);
});

it("are not sent to another model, nor without their content", async () => {
  const { encrypted_content: _content, ...open } = reasoning("rs_2", "Seen.");
  const reply = await replyWith([reasoning("rs_1", "Mine."), open as Item, { type: "message", content: "Hello." }]);
  expect(inputAfter(["hi", reply, "more"], "gpt-5.1")).toEqual([
    { role: "user", content: "hi" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "more" },
  ]);
  expect(inputAfter(["hi", reply, "more"])).toContainEqual(reasoning("rs_1", "Mine."));
  expect(JSON.stringify(inputAfter(["hi", reply, "more"]))).not.toContain("rs_2");
});

describe("thoughts in Chat Completions", () => {
  const sealed = { type: "thought", text: "Hm.", signature: `${origin}#reasoning_content:` } as const;
  const calls = { type: "tool-call", callId: "1", name: "get_weather", arguments: "{}" } as const;
  const says = { type: "text", text: "So." } as const;
  const history = (thought: ContentPart): readonly (Message | string)[] => [
    "hi",
    { role: "assistant", content: [says] },
    "and?",
    { role: "assistant", content: [thought, calls] },
    toolReturns("1", "a"),
  ];
  const fields = (messages: readonly (Message | string)[], asked = model, baseUrl = "http://localhost:1") =>
    toChatRequest(requestOf(messages), {
      model: asked,
      origin: `openai/${asked}`,
      rules: openaiRules(asked, baseUrl),
      limitField: "max_tokens",
      stateChannel: "joined",
    }).messages.flatMap((message) =>
      message.role === "assistant" ? [(message as { reasoning_content?: string }).reasoning_content] : [],
    );

  it("go back to the model that sealed them, and then every reply has the field", () => {
    expect(fields(history(sealed))).toEqual(["", "Hm."]);
  });

  it("do not go to other models, nor to a server that did not ask for them", () => {
    expect(fields(history(sealed), "other")).toEqual([undefined, undefined]);
    expect(fields(history({ type: "thought", text: "Hm." }))).toEqual([undefined, undefined]);
  });

  it("are sent as empty texts to DeepSeek if another model made the calls", () => {
    expect(fields(history(sealed), "other", "https://api.deepseek.com")).toEqual(["", ""]);
  });
});

describe("signatures of calls in Chat Completions", () => {
  const extra = { google: { thought_signature: "c2ln" } };
  const call = (callId: string) => ({ type: "tool-call", callId, name: "get_weather", arguments: "{}" }) as const;
  const signature = `openai/gemini-3-pro#extra_content:${JSON.stringify(extra)}`;
  const content = [{ type: "thought", text: "", signature } as const, call("1"), call("2")];
  const history = ["hi", { role: "assistant", content } as const, toolReturns("1", "a"), toolReturns("2", "b")];
  const sent = (asked: string) => {
    const rules = openaiRules(asked, "https://generativelanguage.googleapis.com/v1beta/openai");
    const options = {
      model: asked,
      origin: `openai/${asked}`,
      rules,
      limitField: "max_tokens",
      stateChannel: "joined",
    };
    const { messages } = toChatRequest(requestOf(history), options as Parameters<typeof toChatRequest>[1]);
    return messages.flatMap((message) =>
      message.role === "assistant" ? (message.tool_calls ?? []).map((made) => Object.entries(made).slice(3)) : [],
    );
  };

  it("go back on their calls to the model that made them", () => {
    expect(sent("gemini-3-pro")).toEqual([[["extra_content", extra]], []]);
  });

  it("are replaced for another model by the value that Gemini 3 accepts, and for Gemini 2.5 by nothing", () => {
    const skipped = { google: { thought_signature: "skip_thought_signature_validator" } };
    expect(sent("gemini-3-flash")).toEqual([[["extra_content", skipped]], []]);
    expect(sent("gemini-2.5-pro")).toEqual([[], []]);
  });
});

describe("the key of the cache", () => {
  const request = requestOf(["hi"], { cacheKey: "conversation-1" });
  const chat = { limitField: "max_tokens", stateChannel: "system" } as const;

  it("is sent to OpenAI", () => {
    const rules = openaiRules("gpt-4.1");
    expect(toResponsesRequest(request, { model, origin, rules }).prompt_cache_key).toBe("conversation-1");
    expect(toChatRequest(request, { model, rules, ...chat }).prompt_cache_key).toBe("conversation-1");
    expect(toResponsesRequest(requestOf(["hi"]), { model, origin, rules })).not.toHaveProperty("prompt_cache_key");
  });

  it("is not sent to other servers", () => {
    expect(toResponsesRequest(request, { model, origin, rules: otherRules })).not.toHaveProperty("prompt_cache_key");
    expect(toChatRequest(request, { model, ...chat })).not.toHaveProperty("prompt_cache_key");
  });
});
