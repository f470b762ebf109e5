// Answers with a form: what the model is told, what is checked, and what happens to an answer that does not fit. And the text
// of a turn alone.
import * as z from "zod";
import { type ScriptedReplies, createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const output = z.object({ city: z.string(), days: z.number().int().min(1) });
const fitting = { text: '{"city":"Oslo","days":3}' };
const jsonSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 9007199254740991 } },
  required: ["city", "days"],
};

async function open(replies: ScriptedReplies, options: Parameters<typeof openScene>[2] = {}) {
  const scene = await openScene(runtimes, replies, options);
  const lastText = (at: number): string => textOf(scene.model.requests[at]!.messages.at(-1)!);
  return { ...scene, lastText };
}

test("the awaited turn has the typed value, and the model was told the form by the program", async () => {
  const { agent, model, lastText } = await open([fitting]);
  const end = await agent.send("Plan a trip.", { output });
  const { city, days }: { city: string; days: number } = end.output;
  expect([city, days, end.stopReason]).toEqual(["Oslo", 3, "end-turn"]);
  expect(lastText(0)).toContain(JSON.stringify(jsonSchema));
  expect(model.requests[0]!.output).toEqual({ name: "answer", schema: jsonSchema });
  expect(agent.messages.map(({ role, trust, text }) => [role, trust, text.slice(0, 12)])).toEqual([
    ["user", "user", "Plan a trip."],
    ["user", "user", "Answer the m"],
    ["assistant", "model", '{"city":"Osl'],
  ]);
});

test("the answer is the last reply, after calls and whatever is around the JSON", async () => {
  const replies = [
    { text: '{"not":"this"}', toolCalls: [append("Trip to Oslo.")] },
    { text: 'Here: ```json\n{"city":"Oslo","days":2}\n```' },
  ];
  const { agent } = await open(replies);
  expect((await agent.send("Plan a trip.", { output })).output).toEqual({ city: "Oslo", days: 2 });
  expect(agent.memory.read("human")).toBe("Trip to Oslo.");
});

test("an answer that does not fit is asked for again once, with what is wrong", async () => {
  const { agent, model, lastText } = await open([{ text: '{"city":"Oslo","days":0}' }, fitting]);
  const events = await drain(agent.send("Plan a trip.", { output }));
  expect(lastText(1)).toMatch(/does not fit the JSON Schema.*days: Too small/su);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]!.output).toEqual({ name: "answer", schema: jsonSchema });
  expect(events.filter(({ type }) => type === "turn-end")).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: "turn-end", output: { city: "Oslo", days: 3 } });
});

test("a second answer that does not fit is an error, and both turns stay", async () => {
  const { agent, model } = await open([{ text: "Oslo, three days" }, { text: '{"city":"Oslo"}' }]);
  await expect(agent.send("Plan a trip.", { output })).rejects.toMatchObject({
    code: "output_invalid",
    message: expect.stringMatching(/^Expected an answer that fits `output`, got two that do not: days: /u) as string,
  });
  expect(model.requests).toHaveLength(2);
  expect(agent.messages.filter(({ role }) => role === "assistant")).toHaveLength(2);
});

test.each([
  ["a refusal", [{ text: "No.", stopReason: "refusal" as const }], {}, "refusal"],
  ["a limit", [{ toolCalls: [append("x")] }], { maxSteps: 1 }, "max-steps"],
])("%s is no answer: the turn is not repeated", async (_title, replies, options, stopReason) => {
  const { agent, model } = await open(replies, options);
  await expect(agent.send("Plan a trip.", { output })).rejects.toMatchObject({
    code: "output_invalid",
    message: `Expected an answer that fits \`output\`, got a turn that ended with "${stopReason}".`,
  });
  expect(model.requests).toHaveLength(1);
});

test("a JSON Schema is checked as well, and MemGPT's protocol answers by send_message", async () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } as const;
  const call = { name: "send_message", arguments: { message: '{"ok":true}' } };
  const { agent, model } = await open([{ toolCalls: [call] }], { protocol: "heartbeat" });
  expect((await agent.send("Well?", { output: schema })).output).toEqual({ ok: true });
  expect(model.requests[0]!.output).toBeUndefined();
});

test.each<[string, object, RegExp]>([
  ["a text", z.string(), /`output` to be a zod object or a JSON Schema of an object/u],
  ["a date", z.object({ at: z.date() }), /`output` cannot be converted to JSON Schema/u],
  ["no schema", [] as object, /`output` to be a zod object or a JSON Schema/u],
  ["an unknown type", { type: "thing" }, /`output` is not a supported JSON Schema/u],
])("a schema of %s is refused before anything is sent", async (_title, schema, told) => {
  const { agent, model } = await open([fitting]);
  const send = () => agent.send("Plan a trip.", { output: schema as typeof output });
  expect(send).toThrow(told);
  expect(send).toThrow(expect.objectContaining({ code: "input_invalid", field: "output" }));
  expect([agent.messages, model.requests]).toEqual([[], []]);
});

test("only the first turn has the key and the files of the call; a repeated call reads its answer", async () => {
  const { agent, model } = await open([fitting]);
  const options = { output, idempotencyKey: "trip-1", files: [{ data: Buffer.from("a note"), name: "note.txt" }] };
  const first = await agent.send("Plan a trip.", options);
  const again = await agent.send("Plan a trip.", options);
  expect([first.output, again.output]).toEqual([
    { city: "Oslo", days: 3 },
    { city: "Oslo", days: 3 },
  ]);
  expect(model.requests).toHaveLength(1);
});

test("the text of a turn can be read alone, and the turn awaited after it", async () => {
  const model = createScriptedModel({ replies: [{ thought: "Hm.", text: "Hello, Ada. How are you?" }] });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const agent = await runtime.agents.open("texts", { create: {} });
  const turn = agent.send("hello");
  const texts: string[] = [];
  for await (const text of turn.textStream) texts.push(text);
  expect(texts.join("")).toBe("Hello, Ada. How are you?");
  expect(await turn).toMatchObject({ type: "turn-end", stopReason: "end-turn", text: "Hello, Ada. How are you?" });
});
