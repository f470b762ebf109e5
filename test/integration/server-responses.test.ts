// Agents as models of OpenAI's Responses API, driven by its official client.
import OpenAI from "openai";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { checkedFetch } from "../support/api-document.ts";
import { repeating } from "../support/repeating-model.ts";
import { askedModel, careful } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const options = { model: askedModel.name, models: [askedModel, repeating], tools: { add: [careful] } };
const served = useScene(() => serveTestHost(options));
let client: OpenAI;

beforeAll(async () => {
  const fetched = checkedFetch(openAiDoor);
  client = new OpenAI({ baseURL: `${served.url}/openai/v1`, apiKey: served.key, maxRetries: 0, fetch: fetched });
  for (const name of ["bo", "other"]) await served.host.forUser("ada").agents.create({ name, persona: "", human: "" });
  await served.host.forUser("ada").agents.create({ name: "twice", model: repeating.name });
});

const user = (content: string) => ({ role: "user", content }) as const;
const model = "bo";
/** What a client without the server's ids sends back. */
const itemsOf = ({ output }: OpenAI.Responses.Response) => output as OpenAI.Responses.ResponseInput;
const runtime = () => served.host.forUser("ada");

async function storedTexts(conversation: string): Promise<readonly string[]> {
  const { messages } = await runtime().conversations.messages(conversation);
  return messages.map(({ text }) => text);
}

test("a text is answered, with the conversation and the usage", async () => {
  const response = await client.responses.create({ model, input: "SAY one two" });
  expect(response).toMatchObject({
    object: "response",
    status: "completed",
    model,
    error: null,
    output_text: "one two",
  });
  expect(response.output).toMatchObject([{ type: "message", role: "assistant", status: "completed" }]);
  expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 2, total_tokens: 12 });
  expect(await storedTexts(response.conversation!.id)).toEqual(["SAY one two", "one two"]);
});

test("a response continues from the previous one, and from an earlier one on a branch", async () => {
  const first = await client.responses.create({ model, input: "COUNT" });
  const second = await client.responses.create({ model, input: "COUNT", previous_response_id: first.id });
  expect(second).toMatchObject({
    output_text: "user=2 ",
    previous_response_id: first.id,
    conversation: first.conversation,
  });
  const third = await client.responses.create({ model, input: "COUNT", previous_response_id: second.id });
  expect(third.output_text).toBe("user=3 ");
  const branch = await client.responses.create({ model, input: "COUNT", previous_response_id: first.id });
  expect(branch.output_text).toBe("user=2 ");
  expect(await runtime().conversations.branches(first.conversation!.id)).toHaveLength(2);
  const later = await client.responses.create({ model, input: "COUNT", previous_response_id: third.id });
  expect(later.output_text).toBe("user=4 ");
});

test("a refused input after an earlier response leaves the conversation as it was", async () => {
  const first = await client.responses.create({ model, input: "SAY one" });
  const second = await client.responses.create({ model, input: "SAY two", previous_response_id: first.id });
  await expect(client.responses.create({ model, input: "", previous_response_id: first.id })).rejects.toMatchObject({
    status: 400,
  });
  expect(await storedTexts(second.conversation!.id)).toEqual(["SAY one", "one", "SAY two", "two"]);
});

test("a repeated request after an earlier response keeps the first one's answer on the thread", async () => {
  const first = await client.responses.create({ model, input: "SAY one" });
  await client.responses.create({ model, input: "SAY two", previous_response_id: first.id });
  const again = () =>
    client.responses.create(
      { model, input: "SAY three", previous_response_id: first.id },
      { headers: { "idempotency-key": "three" } },
    );
  for (const { output_text: text } of await Promise.all([again(), again()])) expect(text).toBe("three");
  expect(await storedTexts(first.conversation!.id)).toEqual(["SAY one", "one", "SAY three", "three"]);
});

test("a conversation can be named", async () => {
  const { id } = await runtime().conversations.create("bo");
  const response = await client.responses.create({ model, input: "SAY here", conversation: id });
  expect(response.conversation).toEqual({ id });
  const again = await client.responses.create({ model, input: "COUNT", conversation: { id } });
  expect(again.output_text).toBe("user=2 ");
});

test("of a list only what follows the last reply is added", async () => {
  const input: OpenAI.Responses.ResponseInput = [user("SAY alpha")];
  const first = await client.responses.create({ model, input });
  input.push(...itemsOf(first), user("COUNT"), { role: "user", content: [{ type: "input_text", text: "COUNT it" }] });
  const second = await client.responses.create({ model, input });
  expect(second.conversation).toEqual(first.conversation);
  expect(await storedTexts(first.conversation!.id)).toEqual(["SAY alpha", "alpha", "COUNT", "COUNT it", "user=3 "]);
});

test.each(["with its type", "as an id alone"])("a reply by reference, %s, is not sent again", async (form) => {
  const reference = ({ output }: OpenAI.Responses.Response) => {
    const { id } = output[0] as OpenAI.Responses.ResponseOutputMessage;
    return form === "with its type" ? ({ type: "item_reference", id } as const) : { id };
  };
  const input: OpenAI.Responses.ResponseInput = [user("SAY alpha")];
  const first = await client.responses.create({ model, input });
  input.push(reference(first), user("COUNT"));
  const second = await client.responses.create({ model, input });
  expect(second).toMatchObject({ conversation: first.conversation, output_text: "user=2 " });
  input.push(reference(second), user(`CALL read_clock {"zone":"${form}"}`));
  const asked = await client.responses.create({ model, input, tools: [...tools] });
  const { call_id } = asked.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
  input.push(reference(asked), { type: "function_call_output", call_id, output: form });
  const answered = await client.responses.create({ model, input, tools: [...tools] });
  expect(answered).toMatchObject({ conversation: first.conversation, output_text: `Done: ${form}` });
});

test("a repeated model call leaves its first text out of the response", async () => {
  const body = { model: "twice", input: "Hi" };
  const whole = await client.responses.create(body);
  expect(whole.output_text).toBe("Hallo.");
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...body, stream: true })) events.push(event);
  const items = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
  expect(items).toMatchObject([{ status: "incomplete" }, { status: "completed" }]);
  expect(new Set(items.map(({ id }) => id)).size).toBe(2);
  expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { output: [items[1]] } });
  const chunks = client.chat.completions.stream({ model: "twice", messages: [user("Hi")] });
  expect((await chunks.finalChatCompletion()).choices[0]!.message.content).toBe("Hal\nHallo.");
});

test("instructions are added to the agent's prompt, for one response only", async () => {
  await runtime().agents.setSystemPrompt("other", "Be kind.");
  const input = [{ role: "developer", content: "Be brief." } as const, user("PROMPT")];
  const response = await client.responses.create({ model: "other", instructions: "Rhyme.", input });
  expect(response.output_text).toContain("asked: Be kind.\n\nRhyme.\n\nBe brief.");
  expect(response.instructions).toBe("Rhyme.");
  const next = await client.responses.create({ model: "other", input: "PROMPT", previous_response_id: response.id });
  expect(next.output_text).not.toContain("Rhyme.");
});

test("a stream has the parts of the response that ends it", async () => {
  const stream = client.responses.stream({ model, input: "THINK and SAY some words" });
  const types: string[] = [];
  let text = "";
  for await (const event of stream) {
    expect(event.sequence_number).toBe(types.length);
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  const final = await stream.finalResponse();
  expect(text).toBe("some words");
  expect(final.output_text).toBe(text);
  expect(final.output).toMatchObject([
    { type: "reasoning", summary: [{ type: "summary_text", text: "Well." }] },
    { type: "message", status: "completed", content: [{ type: "output_text", text }] },
  ]);
  expect(types.slice(0, 3)).toEqual(["response.created", "response.in_progress", "response.output_item.added"]);
  expect(types.at(-1)).toBe("response.completed");
  expect(types.filter((type) => type.endsWith(".added"))).toHaveLength(4);
  expect(types.filter((type) => type.endsWith(".done"))).toHaveLength(6);
  const next = await client.responses.create({ model, input: "COUNT", previous_response_id: final.id });
  expect(next.output_text).toBe("user=2 ");
});

const parameters = { type: "object", properties: { zone: { type: "string" } } };
const tools = [{ type: "function", name: "read_clock", description: "Reads it.", parameters, strict: false } as const];

test.each([false, true])(
  "functions are run by the client, and their outputs continue the turn: stream %s",
  async (streamed) => {
    const ask = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) =>
      streamed ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body);
    const asked = await ask({ model, input: 'CALL read_clock {"zone":"UTC"}', tools: [...tools] });
    expect(asked.output).toMatchObject([{ type: "function_call", name: "read_clock", arguments: '{"zone":"UTC"}' }]);
    const { call_id } = asked.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
    const output = { type: "function_call_output", call_id, output: "noon" } as const;
    const answered = await ask({ model, input: [output], previous_response_id: asked.id, tools: [...tools] });
    expect(answered.output_text).toBe("Done: noon");
    expect(answered.id).not.toBe(asked.id);
    const next = await ask({ model, input: "COUNT", previous_response_id: answered.id });
    expect(next.output_text).toBe("user=2 ");
  },
);

test("outputs of functions find their conversation without an id", async () => {
  const input: OpenAI.Responses.ResponseInput = [user('CALL read_clock {"zone":"Mars"}')];
  const asked = await client.responses.create({ model, input, tools: [...tools] });
  const { call_id } = asked.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
  input.push(...itemsOf(asked), {
    type: "function_call_output",
    call_id,
    output: [{ type: "input_text", text: "dusk" }],
  });
  const answered = await client.responses.create({ model, input, tools: [...tools] });
  expect(answered).toMatchObject({ output_text: "Done: dusk", conversation: asked.conversation });
});

test("a message beside outputs of functions is answered after their turn", async () => {
  const asked = await client.responses.create({ model, input: "CALL read_clock {}", tools: [...tools] });
  const { call_id } = asked.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
  const input = [{ type: "function_call_output", call_id, output: "noon" } as const, user("COUNT")];
  const answered = await client.responses.create({ model, input, previous_response_id: asked.id });
  expect(answered.output_text).toBe("user=2 ");
  const texts = ["CALL read_clock {}", "", "Done: noon", "COUNT", "user=2 "];
  expect(await storedTexts(asked.conversation!.id)).toEqual(texts);
});

test("a call that waits for approval is text of the answer", async () => {
  const response = await client.responses.create({ model, input: 'CALL add_carefully {"a":1,"b":2}' });
  expect(response.output_text).toContain('add_carefully waits for your approval: {"a":1,"b":2}');
});

test("an image in the input is attached", async () => {
  const image_url = `data:image/png;base64,${pixel}`;
  const content = [
    { type: "input_text", text: "SAY seen" } as const,
    { type: "input_image", image_url, detail: "auto" } as const,
  ];
  const response = await client.responses.create({ model, input: [{ role: "user", content }] });
  const { messages } = await runtime().conversations.messages(response.conversation!.id);
  expect(messages[0]!.content).toContainEqual(expect.objectContaining({ type: "file", mediaType: "image/png" }));
});

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("a repeated request with the same key adds nothing", async () => {
  const { id } = await runtime().conversations.create("bo");
  const headers = { "Idempotency-Key": "once" };
  const body = { model, input: "COUNT", conversation: id };
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect((await client.responses.create(body, { headers })).output_text).toBe("user=1 ");
  expect(await storedTexts(id)).toEqual(["COUNT", "user=1 "]);
});

const unknownResponse = "resp_0198f1f0-0000-7000-8000-000000000000_1";

/** Status, code and field. */
type Refusal = readonly [number, string, string | null];

test.each<[string, object, Refusal]>([
  ["an unknown agent", { model: "nobody" }, [404, "agent_not_found", null]],
  ["no input", { input: [] }, [400, "request_invalid", "body.input"]],
  ["input without a message", { input: [{ role: "assistant", content: "x" }] }, [400, "request_invalid", "body.input"]],
  [
    "an output without its call",
    { input: [{ type: "function_call_output", output: "x" }] },
    [400, "request_invalid", "body.input"],
  ],
  [
    "an output of an unknown call",
    { input: [{ type: "function_call_output", call_id: "c", output: "x" }] },
    [409, "result_not_awaited", null],
  ],
  ["an unknown response", { previous_response_id: unknownResponse }, [404, "turn_not_found", "previous_response_id"]],
  ["an id that is none", { previous_response_id: "resp_1" }, [404, "turn_not_found", "previous_response_id"]],
  [
    "an unknown conversation",
    { conversation: "0198f1f0-0000-7000-8000-000000000000" },
    [404, "conversation_not_found", null],
  ],
  [
    "a reference to an unknown item",
    { input: [{ type: "item_reference", id: "msg_1" }, user("SAY hi")] },
    [404, "turn_not_found", "body.input"],
  ],
  ["a form", { text: { format: { type: "json_object" } } }, [400, "request_invalid", "body.text.format.type"]],
  ["a tool that must be called", { tool_choice: "required" }, [400, "request_invalid", "body.tool_choice"]],
  [
    "a file by its id",
    { input: [{ role: "user", content: [{ type: "input_file", file_id: "x" }] }] },
    [400, "request_invalid", "body.input.0.content.0.type"],
  ],
  [
    "an image as an output",
    { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: "x" }] }] },
    [400, "request_invalid", "body.input.0.output.0.type"],
  ],
  [
    "both ids",
    { conversation: "x", previous_response_id: unknownResponse },
    [400, "request_invalid", "body.conversation"],
  ],
  ["tools of the provider", { tools: [{ type: "web_search" }] }, [400, "request_invalid", "body.tools.0.type"]],
  ["work in the background", { background: true }, [400, "request_invalid", "body.background"]],
  ["a failing model", { input: "FAIL" }, [502, "model_request", null]],
])("%s is an error of the client", async (_what, body, [status, code, param]) => {
  const request = { model, input: "SAY hi", ...body } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
  await expect(client.responses.create(request)).rejects.toMatchObject({ status, code, param });
});

test("a response of another agent is not found", async () => {
  const { id } = await client.responses.create({ model: "other", input: "SAY mine" });
  const request = { model, input: "SAY hi", previous_response_id: id };
  await expect(client.responses.create(request)).rejects.toMatchObject({ status: 404, code: "turn_not_found" });
});

test("a turn that fails while it streams is a response that failed", async () => {
  const final = await client.responses.stream({ model, input: "FAIL" }).finalResponse();
  expect(final).toMatchObject({ status: "failed", error: { code: "model_request" }, output: [] });
});

test("a client that leaves stops nothing, and continues from the conversation", async () => {
  const { id } = await runtime().conversations.create("bo");
  const stream = await client.responses.create({ model, input: "SLOW 8", conversation: id, stream: true });
  for await (const event of stream) if (event.type === "response.output_text.delta") break;
  const next = await client.responses.create({ model, input: "COUNT", conversation: id });
  expect(next.output_text).toBe("user=2 ");
  expect((await storedTexts(id))[1]).toMatch(/w7 $/u);
});
