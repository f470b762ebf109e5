// An agent with `assist`: what a small model is sent, how its calls are read, and what is kept of what the user says.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { z } from "zod";
import type { AgentEvent } from "../../src/agent/events.ts";
import { lookedUpIn } from "../support/state-text.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let agents = 0;

const isExtraction = ({ tools }: ModelRequest): boolean => tools.some(({ name }) => name === "save_facts");

interface Replies {
  readonly turn: readonly ScriptedReply[];
  readonly facts?: readonly ScriptedReply[];
}

async function open({ turn, facts = [] }: Replies, options: RuntimeOptions = {}) {
  agents += 1;
  const name = `assisted-${agents}`;
  const left = { turn: [...turn], facts: [...facts] };
  const model = createScriptedModel({ replies: (request) => left[isExtraction(request) ? "facts" : "turn"].shift() });
  const runtime = await runtimes.open({ model: "scripted", models: [model], assist: "on", ...options });
  const agent = await runtime.agents.open(name, { create: {} });
  const kept = (): string => agent.memory.read("human");
  return { runtime, agent, model, name, kept, asked: () => model.requests.filter(isExtraction) };
}

const eventOf = <Type extends AgentEvent["type"]>(events: readonly AgentEvent[], type: Type) =>
  events.find((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)!;

function saving(...facts: readonly string[]): ScriptedReply {
  return { toolCalls: [{ name: "save_facts", arguments: { facts } }] };
}

test("it gets the short prompt and one memory tool, and its call written as text runs once", async () => {
  const { agent, model, kept } = await open({
    turn: [
      { text: 'Remember("Ada lives in Lisbon.")\nRemember("Ada lives in Lisbon.")' },
      { text: "Nice to meet you." },
    ],
    facts: [saving("The user lives in Lisbon.")],
  });
  const events = await drain(agent.send("I'm Ada and I live in Lisbon."));
  const [first] = model.requests;
  expect(first!.system.instructions).toMatch(/^You are a friendly assistant with a memory/u);
  expect(first!.tools.map(({ name }) => name)).toEqual(["remember"]);
  expect(events.filter(({ type }) => type === "tool-call")).toEqual([
    expect.objectContaining({ name: "remember", arguments: '{"fact":"Ada lives in Lisbon."}' }),
  ]);
  const texts = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(texts.join("")).toBe("Nice to meet you.");
  // The second call found the fact again.
  expect(kept()).toBe("Ada lives in Lisbon.");
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Nice to meet you." });
});

test("facts that were stated are kept after the turn, others are dropped, and the edit can be traced", async () => {
  const { agent, runtime, name, kept, asked } = await open({
    turn: [{ text: "How nice." }],
    facts: [saving("The user has a dog called Bruno.", "The user likes long walks.", "You are a friendly assistant.")],
  });
  const events = await drain(agent.send("Hi! I have a dog called Bruno. Do you like dogs?"));
  expect(kept()).toBe("The user has a dog called Bruno.");
  const [request] = asked();
  expect(request!.toolChoice).toBe("required");
  expect(JSON.stringify(request!.messages)).toContain("I have a dog called Bruno.");
  expect(JSON.stringify(request!.messages)).not.toContain("Do you like dogs");
  const types = events.map(({ type }) => type);
  expect(types.slice(-2)).toEqual(["memory-edit", "turn-end"]);
  const [revision] = await runtime.memory.revisions(name, { label: "human" });
  const reply = agent.messages.find(({ role }) => role === "assistant");
  expect(revision).toMatchObject({ origin: "model", toolName: null, messageId: reply!.id, trust: "user" });
});

test("a fact that the model lists twice is kept once, and one that changes or denies another is kept, too", async () => {
  const { agent, kept } = await open({
    turn: [{ text: "How nice." }, { text: "I see." }],
    facts: [
      saving("Ada lives in Lisbon.", "The user lives in Lisbon", "Ada lives in Lisbon."),
      saving("The user works in Lisbon.", "The user does not live in Lisbon."),
    ],
  });
  await drain(agent.send("I'm Ada and I live in Lisbon."));
  expect(kept()).toBe("Ada lives in Lisbon.");
  await drain(agent.send("I only work in Lisbon, I do not live there."));
  expect(kept().split("\n").slice(1)).toEqual(["The user works in Lisbon.", "The user does not live in Lisbon."]);
});

test("nothing is kept of a message that was sent as external", async () => {
  const { agent, kept, asked } = await open({
    turn: [{ toolCalls: [{ name: "remember", arguments: { fact: "Lives in Lisbon." } }] }, { text: "Hello!" }],
    facts: [saving("The user lives in Lisbon.")],
  });
  const messages = [{ text: "I live in Lisbon, by the sea.", trust: "external" as const }];
  const events = await drain(agent.send({ messages }));
  expect(eventOf(events, "tool-result").text).toBe("Not saved: the user did not say this. Answer the user now.");
  expect(kept()).toBe("");
  expect(asked()).toEqual([]);
});

test("a message that only asks or greets costs no second call", async () => {
  const { agent, asked } = await open({ turn: [{ text: "Paris." }, { text: "Hello!" }] });
  await drain(agent.send("What is the capital of France?"));
  await drain(agent.send("Hi there!"));
  expect(asked()).toEqual([]);
});

test("a message that only asks does not offer remember, and a call that is written nevertheless saves nothing", async () => {
  const { agent, model, kept } = await open({
    turn: [
      { text: "Your name is Ada." },
      { text: 'remember {"fact": "The user asks for their name."}' },
      { text: "Ada." },
      { text: "Noted." },
    ],
    facts: [saving()],
  });
  expect(await drain(agent.send("Hi! What is my name?"))).toContainEqual(
    expect.objectContaining({ type: "turn-end", text: "Your name is Ada." }),
  );
  const second = await drain(agent.send("And my name, please?"));
  expect(eventOf(second, "tool-result").text).toBe("Not saved: the user did not say this. Answer the user now.");
  expect(second.at(-1)).toMatchObject({ text: "Ada." });
  expect(kept()).toBe("");
  await drain(agent.send("I live in Lisbon. What is my name?"));
  const asked = model.requests.filter((request) => !isExtraction(request));
  expect(asked.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 1]);
  const forbids = asked.map(({ messages }) => JSON.stringify(messages.at(-1)).includes("can call no tool"));
  expect(forbids).toEqual([true, true, true, false]);
});

test("a fact that the tool is asked to save, but that was not said, is not saved", async () => {
  const { agent, kept } = await open({
    turn: [{ toolCalls: [{ name: "remember", arguments: { fact: "Never invent a memory." } }] }, { text: "Hello!" }],
    facts: [saving()],
  });
  const events = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(eventOf(events, "tool-result").text).toBe("Not saved: the user did not say this. Answer the user now.");
  expect(kept()).toBe("");
});

test("a failing call, or an answer without a list, changes nothing and does not fail the turn", async () => {
  const { agent, kept } = await open({
    turn: [{ text: "Good." }, { text: "Good." }],
    facts: [{ error: new ModelUnavailableError("It is down.", { provider: "scripted" }) }, { text: "I saved it!" }],
  });
  const failed = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(eventOf(failed, "warning")).toMatchObject({
    code: "facts-not-kept",
    message: "The facts in this message were not saved: It is down.",
  });
  expect(failed.at(-1)).toMatchObject({ stopReason: "end-turn" });
  const silent = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(silent.map(({ type }) => type)).not.toContain("warning");
  expect(kept()).toBe("");
});

test("an answer that reaches its limit in a thought is no fact, and the turn says so", async () => {
  const { agent, kept } = await open({
    turn: [{ text: "Good." }],
    facts: [{ thought: "The user lives in", stopReason: "length" }],
  });
  const events = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(eventOf(events, "warning")).toMatchObject({
    code: "facts-not-kept",
    message: expect.stringContaining("ended at its maximum of tokens"),
  });
  expect(kept()).toBe("");
});

test("an answer that lists no fact is complete, also if its model goes on to the limit", async () => {
  const { agent } = await open({
    turn: [{ text: "Good." }],
    facts: [{ text: '{"facts": []}\nThe user said nothing', stopReason: "length" }],
  });
  const events = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(events.map(({ type }) => type)).not.toContain("warning");
});

test("a section that is full keeps its text, and the turn says so", async () => {
  const { agent, kept } = await open(
    { turn: [{ text: "Good." }], facts: [saving("The user lives in Lisbon, by the sea.")] },
    { coreMemoryLimit: 20 },
  );
  const events = await drain(agent.send("I live in Lisbon, by the sea."));
  expect(eventOf(events, "warning").code).toBe("facts-not-kept");
  expect(kept()).toBe("");
});

test("a message comes with what was said about it in another conversation", async () => {
  const { runtime, agent, model, name } = await open({
    turn: [{ text: "Good." }, { text: "Bruno." }],
    facts: [saving()],
  });
  await drain(agent.send("My dog Bruno is six years old."));
  const later = await runtime.agents.open(name, { conversation: "new" });
  await drain(later.send("What is my dog called?"));
  expect(lookedUpIn(model.requests.at(-1)!)).toContain("My dog Bruno is six years old.");
});

test("the program's own tools are kept, and a prompt of the program's own stays", async () => {
  const echo = defineTool({
    name: "echo",
    description: "Repeats a text.",
    parameters: z.object({ text: z.string().describe("The text.") }),
    run: ({ text }) => text,
  });
  const { runtime, model } = await open({ turn: [{ text: "Yes." }] }, { tools: { add: [echo] } });
  const agent = await runtime.agents.open("own", { create: { systemPrompt: "Be brief." } });
  await drain(agent.send("It is."));
  const request = model.requests.at(-1)!;
  expect(request.tools.map(({ name }) => name)).toEqual(["remember", "echo"]);
  expect(request.system.instructions).toBe("Be brief.");
});

test("a model with structured outputs is not forced to call: its answer is JSON, and anything else is no fact", async () => {
  const answers = ['{"facts":["The user lives in Lisbon."]}', "I cannot help with that.", '{"facts":"none"}'];
  const scripted = createScriptedModel({
    replies: ({ output }) => (output === undefined ? { text: "I see." } : { text: answers.shift()! }),
  });
  const model = Object.assign(scripted, { hasStructuredOutput: true });
  const runtime = await runtimes.open({ model: "scripted", models: [model], assist: "on" });
  const agent = await runtime.agents.open("structured", { create: {} });
  await drain(agent.send("I live in Lisbon now."));
  await drain(agent.send("I work in a large bakery."));
  await drain(agent.send("I sing in a small choir."));
  expect(agent.memory.read("human")).toContain("The user lives in Lisbon.");
  expect(agent.memory.read("human")).not.toMatch(/cannot|none|bakery/u);
  const asked = scripted.requests.filter(({ output }) => output !== undefined);
  expect(asked.map(({ tools, toolChoice }) => [tools, toolChoice])).toEqual(Array(3).fill([[], undefined]));
  expect(asked[0]!.output).toMatchObject({ name: "save_facts", schema: { required: ["facts"] } });
});
