// Agents as models of OpenAI's API, driven by its official client.
import OpenAI from "openai";
import type { Model, ModelEvent } from "../../src/model/llm/model.ts";
import { type ContentPart, noUsage } from "../../src/base/message/message.ts";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { checkedFetch } from "../support/api-document.ts";
import { careful } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

let client: OpenAI;
const log: string[] = [];

/** Repeats the user's last words, calls the tool that they name, also with a text beside the call, or fails. */
const model: Model = {
  name: "echo",
  contextWindow: 100_000,
  async *stream({ messages, tools }): AsyncGenerator<ModelEvent, void> {
    const last = messages.at(-1);
    const results = last?.role === "tool" ? last.content : [];
    const text = textOf(messages.findLast(({ role }) => role === "user")?.content ?? []);
    const usage = { ...noUsage, inputTokens: 10, outputTokens: 2 };
    if (text.includes("FAIL")) throw new ModelUnavailableError("The server at gpu:8000 fails.", { provider: "test" });
    const tool = tools.find(({ name }) => text.includes(`CALL ${name}`));
    if (tool !== undefined && results.length === 0) {
      const json = tool.name === careful.name ? '{"a":1,"b":2}' : '{"zone":"UTC","query":"tide"}';
      if (text.includes("SAY and")) yield { type: "text-delta", text: "Let me look." };
      yield { type: "tool-call", callId: `call_${messages.length}`, name: tool.name, arguments: json };
      yield { type: "end", stopReason: "tool-calls", usage };
      return;
    }
    const result = results.map((part) => (part.type === "tool-result" ? part.text : "")).join("");
    for (const word of ["You", " said ", result === "" ? text : result]) yield { type: "text-delta", text: word };
    yield { type: "end", stopReason: "end", usage };
  },
};

const textOf = (content: readonly ContentPart[]) =>
  content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .replace(/^\[.*?\]\s*/u, "");

const served = useScene(() =>
  serveTestHost({ model: model.name, models: [model], tools: { add: [careful] }, log: (line) => log.push(line) }),
);
beforeAll(async () => {
  const baseURL = `${served.url}/openai/v1`;
  client = new OpenAI({ baseURL, apiKey: served.key, maxRetries: 0, fetch: checkedFetch(openAiDoor) });
  await served.host.forUser("ada").agents.create({ name: "bo", persona: "I am Bo.", human: "" });
});

const user = (content: string) => ({ role: "user", content }) as const;
const conversations = () => served.host.forUser("ada").conversations.list("bo");

test("agents are models", async () => {
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(["bo"]);
  expect(await client.models.retrieve("bo")).toMatchObject({ id: "bo", object: "model", owned_by: "ada" });
});

test("the next request continues the conversation whose last reply it repeats, and adds only the new message", async () => {
  const history: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "Ignored." }, user("one")];
  const first = await client.chat.completions.create({ model: "bo", messages: history });
  expect(first.choices[0]).toMatchObject({ finish_reason: "stop", message: { role: "assistant" } });
  expect(first.choices[0]?.message.content).toContain("one");
  expect(first.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 });
  const before = await conversations();
  history.push(first.choices[0]!.message, user("two"));
  await client.chat.completions.create({ model: "bo", messages: history });
  const after = await conversations();
  expect(after).toHaveLength(before.length);
  const { messages } = await served.host.forUser("ada").conversations.messages(after[0]!.id);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  // A new chat that begins with the same words is another conversation.
  await client.chat.completions.create({ model: "bo", messages: [user("one")] });
  expect(await conversations()).toHaveLength(before.length + 1);
});

test("a conversation can be named by a header", async () => {
  const { id } = await served.host.forUser("ada").conversations.create("bo");
  const headers = { "x-conversation-id": id };
  const answer = await client.chat.completions.create({ model: "bo", messages: [user("named")] }, { headers });
  expect(answer).toMatchObject({ conversation_id: id });
  const unknown = { "x-conversation-id": "0198f1f0-0000-7000-8000-000000000000" };
  await expect(
    client.chat.completions.create({ model: "bo", messages: [user("named")] }, { headers: unknown }),
  ).rejects.toMatchObject({ status: 404, code: "conversation_not_found" });
});

test("a stream has the same text, and ends with the usage", async () => {
  const stream = client.chat.completions.stream({
    model: "bo",
    messages: [user("streamed")],
    stream_options: { include_usage: true },
  });
  let text = "";
  let chunks = 0;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    chunks += 1;
  }
  const final = await stream.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe(text);
  expect(text).toContain("streamed");
  expect(chunks).toBeGreaterThan(3);
  expect(final.usage?.total_tokens).toBe(12);
});

const parameters = { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] };
const clock = { type: "function", function: { name: "read_clock", description: "Reads it.", parameters } } as const;
const tools = [clock];

/** Sends messages, and adds the answer to them. */
async function ask(messages: OpenAI.ChatCompletionMessageParam[], more: object = {}, headers: object = {}) {
  const body = { model: "bo", messages, tools, ...more };
  const answer = await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, {
    headers: { ...headers },
  });
  messages.push(answer.choices[0]!.message);
  return { ...answer, text: answer.choices[0]!.message.content, reason: answer.choices[0]!.finish_reason };
}

async function storedTexts(conversation: string): Promise<readonly string[]> {
  const { messages } = await served.host.forUser("ada").conversations.messages(conversation);
  return messages.map(({ text }) => text);
}

/** Returns the conversation that a completion names, which the types of the client do not know. */
const placeOfAnswer = (answer: object) => (answer as { readonly conversation_id: string }).conversation_id;

test("an answer of several steps has a line for each, and the next request continues its conversation", async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [user("SAY and CALL conversation_search")];
  const stream = client.chat.completions.stream({ model: "bo", messages: [...messages] });
  expect((await stream.finalChatCompletion()).choices[0]!.message.content).toMatch(/^Let me look\.\nYou said /u);
  const first = await ask(messages);
  expect(first.text).toMatch(/^Let me look\.\nYou said /u);
  messages.push(user("two"));
  expect(placeOfAnswer(await ask(messages))).toBe(placeOfAnswer(first));
});

test.each([false, true])(
  "a conversation goes on after a call that waits for approval: approved elsewhere %s",
  async (approved) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [user(`SAY and CALL add_carefully ${approved}`)];
    const asked = await ask(messages);
    expect(asked.text).toBe('Let me look.\n[add_carefully waits for your approval: {"a":1,"b":2}]');
    const id = placeOfAnswer(asked);
    if (approved) {
      const agent = await served.host.forUser("ada").agents.open("bo", { conversation: { id } });
      await agent.approve(agent.pendingApprovals[0]!.callId);
    }
    messages.push(user("and now"));
    expect(placeOfAnswer(await ask(messages))).toBe(id);
  },
);

test("a message beside results is answered after the turn of the results", async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [user("CALL read_clock")];
  const asked = await ask(messages);
  const [call] = asked.choices[0]!.message.tool_calls!;
  messages.push({ role: "tool", tool_call_id: call!.id, content: "dawn" }, user("And more"));
  expect((await ask(messages)).text).toBe("You said And more");
  const texts = ["CALL read_clock", "", "You said dawn", "And more", "You said And more"];
  expect(await storedTexts(placeOfAnswer(asked))).toEqual(texts);
});

test.each([false, true])(
  "repeated results get the answer of the first request: named conversation %s",
  async (named) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [user("CALL read_clock")];
    const asked = await ask(messages);
    const [call] = asked.choices[0]!.message.tool_calls!;
    messages.push({ role: "tool", tool_call_id: call!.id, content: `dusk ${named}` });
    const headers = named ? { "x-conversation-id": placeOfAnswer(asked) } : {};
    const before = await conversations();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answered = await ask([...messages], {}, headers);
      expect([placeOfAnswer(answered), answered.text]).toEqual([placeOfAnswer(asked), `You said dusk ${named}`]);
    }
    expect(await conversations()).toHaveLength(before.length);
  },
);

test.each([
  [
    "results of unknown calls",
    [user("x"), { role: "assistant", content: "" }, { role: "tool", tool_call_id: "c", content: "y" }],
    409,
  ],
  ["a blank message", [user(" ")], 400],
  ["a message that is too long", [user("x".repeat(1_000_001))], 413],
])("%s leave no conversation", async (_what, messages, status) => {
  const before = await conversations();
  await expect(ask(messages as OpenAI.ChatCompletionMessageParam[])).rejects.toMatchObject({ status });
  expect(await conversations()).toHaveLength(before.length);
});

test("with the tool choice `none` the tools of the client are not called", async () => {
  expect(await ask([user("CALL read_clock")], { tool_choice: "none" })).toMatchObject({ reason: "stop" });
});

test("a file with its content is attached", async () => {
  const file_data = `data:text/plain;base64,${Buffer.from("Tide at noon.").toString("base64")}`;
  const content = [
    { type: "text", text: "Read it." },
    { type: "file", file: { filename: "tide.txt", file_data } },
  ] as const;
  const answer = await ask([{ role: "user", content: [...content] }]);
  const { messages } = await served.host.forUser("ada").conversations.messages(placeOfAnswer(answer));
  expect(messages[0]!.content).toContainEqual(expect.objectContaining({ type: "file", name: "tide.txt" }));
});

const withPart = (part: object) => ({ messages: [{ role: "user", content: [{ type: "text", text: "x" }, part] }] });
const schema = { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } };
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } };

test.each<[string, object, string]>([
  ["a form of the answer", { response_format: schema }, "body.response_format.type"],
  ["JSON as the answer", { response_format: { type: "json_object" } }, "body.response_format.type"],
  ["a tool that must be called", { tool_choice: "required" }, "body.tool_choice"],
  ["a named tool", { tool_choice: { type: "function", function: { name: "read_clock" } } }, "body.tool_choice"],
  ["several choices", { n: 2 }, "body.n"],
  ["sound", withPart({ type: "input_audio", input_audio: {} }), "body.messages.0.content.1.type"],
  ["a file by its id", withPart({ type: "file", file: { file_id: "x" } }), "body.messages.0.content.1.type"],
  ["base64 alone", withPart({ type: "file", file: { file_data: "AA==" } }), "body.messages.0.content.1"],
  [
    "an image as a result",
    { messages: [user("x"), { role: "tool", tool_call_id: "c", content: [image] }] },
    "body.messages.1.content.0.type",
  ],
])("%s is refused, not left out", async (_what, more, param) => {
  const refused = { status: 400, code: "request_invalid", param };
  await expect(ask([user("x")], { stream: false, ...more })).rejects.toMatchObject(refused);
});

test("tools of the client are called by it, and their results continue the turn", async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [user("CALL read_clock")];
  const asked = await client.chat.completions.create({ model: "bo", messages, tools });
  expect(asked.choices[0]?.finish_reason).toBe("tool_calls");
  const call = asked.choices[0]!.message.tool_calls![0]!;
  expect(call).toMatchObject({ function: { name: "read_clock", arguments: '{"zone":"UTC","query":"tide"}' } });
  messages.push(asked.choices[0]!.message, { role: "tool", tool_call_id: call.id, content: "noon" });
  const answered = await client.chat.completions.create({ model: "bo", messages, tools });
  expect(answered.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "You said noon" } });
});

test.each([
  ["an unknown agent", { model: "nobody", messages: [user("x")] }, 404, "agent_not_found"],
  [
    "no message after the reply",
    { model: "bo", messages: [{ role: "assistant", content: "x" }] },
    400,
    "request_invalid",
  ],
  ["no messages", { model: "bo", messages: [] }, 400, "request_invalid"],
  ["a result without a call", { model: "bo", messages: [{ role: "tool", content: "x" }] }, 400, "request_invalid"],
  ["a failing model", { model: "bo", messages: [user("FAIL")] }, 503, "model_unavailable"],
])("%s is an error of the client", async (_what, body, status, code) => {
  const request = body as OpenAI.ChatCompletionCreateParamsNonStreaming;
  await expect(client.chat.completions.create(request)).rejects.toMatchObject({ status, code });
});

test("a failure of a stream that has begun is an error of the stream", async () => {
  const stream = await client.chat.completions.create({ model: "bo", messages: [user("FAIL")], stream: true });
  const read = async () => {
    for await (const _chunk of stream);
  };
  await expect(read()).rejects.toMatchObject({ code: "model_unavailable" });
});

test("a client gets the name of a failing model's provider, and the log of the server its address", async () => {
  log.length = 0;
  await expect(client.chat.completions.create({ model: "bo", messages: [user("FAIL")] })).rejects.toMatchObject({
    message: '503 The provider "test" fails.',
  });
  expect(log).toEqual([expect.stringMatching(/^A turn of conversation .+ failed: The server at gpu:8000 fails\.$/u)]);
});
