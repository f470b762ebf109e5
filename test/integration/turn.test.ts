// A turn from input to row and back, in the native protocol.
import { z } from "zod";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Model } from "../../src/model/llm/model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { createRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { stateOf } from "../support/state-text.ts";
import { words } from "../support/words.ts";

const runtimes = useRuntimes();

const scene = (replies: ScriptedReplies, options: RuntimeOptions = {}) => openScene(runtimes, replies, options);

test("a text turn streams its reply, and both messages exist after a restart", async () => {
  const { agent, runtime, name } = await scene([{ text: "Hello Ada." }]);
  const events = await drain(agent.send("I am Ada"));
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]?.type).toBe("turn-start");
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn", text: "Hello Ada.", steps: 1 });
  const again = await runtime.agents.open(name);
  expect(again.messages.map((message) => [message.role, message.text])).toEqual([
    ["user", "I am Ada"],
    ["assistant", "Hello Ada."],
  ]);
});

test("a memory edit is committed with its result, reported with its revision, and is in the next prompt", async () => {
  const { agent, runtime, name, model } = await scene([{ toolCalls: [append("Name: Ada")] }, { text: "Noted." }]);
  const events = await drain(agent.send("I am Ada"));
  expect(events.find((event) => event.type === "memory-edit")).toMatchObject({
    label: "human",
    before: "",
    after: "Name: Ada",
    revision: 1,
    limit: 4000,
  });
  expect(model.requests[1]?.system.memory).toBe(model.requests[0]?.system.memory);
  // The result of the edit shows the section, so it is not said again.
  expect(stateOf(model.requests[1])).toBe(stateOf(model.requests[0]));
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Name: Ada");
  const [revision] = await runtime.memory.revisions(name);
  expect(revision).toMatchObject({
    label: "human",
    revision: 1,
    before: "",
    after: "Name: Ada",
    origin: "model",
    toolName: "core_memory_append",
  });
  expect(agent.messages.map((message) => message.id)).toContain(revision?.messageId);
});

test("parallel calls run in order, each reading the edits of the previous one", async () => {
  const { agent, model } = await scene([{ toolCalls: [append("one"), append("two")] }, { text: "ok" }]);
  await drain(agent.send("go"));
  expect(agent.memory.read("human")).toBe("one\ntwo");
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("a failed tool returns its error and the turn continues; memory is byte-identical", async () => {
  const { agent, model } = await scene([
    { toolCalls: [append("x".repeat(5000)), { name: "nope", arguments: {} }] },
    { text: "sorry" },
  ]);
  const end = await lastOf(agent.send("go"));
  expect(end).toMatchObject({ stopReason: "end-turn", steps: 2 });
  expect(agent.memory.read("human")).toBe("");
  const results = model.requests[1]?.messages
    .at(-1)
    ?.content.map((part) => (part.type === "tool-result" ? part.text : ""));
  expect(results?.[0]).toContain("4000 character limit (requested 5000)");
  expect(results?.[1]).toContain("No function named nope");
});

test("a tool that throws after editing leaves no edit behind", async () => {
  const clumsy = defineTool({
    name: "clumsy",
    description: "Edits, inserts, then fails.",
    parameters: z.object({}),
    run: async (_args, { core, archival }) => {
      core.edit("human", () => "half done");
      await archival.insert("half done");
      throw new TypeError("slipped");
    },
  });
  const { agent, runtime, name } = await scene([{ toolCalls: [{ name: "clumsy", arguments: {} }] }, { text: "oh" }], {
    tools: { add: [clumsy] },
  });
  await drain(agent.send("go"));
  expect(agent.memory.read("human")).toBe("");
  expect((await runtime.memory.show(name)).find((module) => module.label === "human")?.value).toBe("");
  expect(await runtime.archival.count(name)).toBe(0);
});

test("archival inserts are found by the same tool call's search, and by all later ones", async () => {
  const seen: number[] = [];
  const diary = defineTool({
    name: "diary",
    description: "Writes and reads.",
    parameters: z.object({}),
    run: async (_args, { archival }) => {
      await archival.insert("The harbour was full of sails.");
      seen.push((await archival.search({ query: "harbour", page: 0 })).total);
    },
  });
  const { agent, runtime, name } = await scene([{ toolCalls: [{ name: "diary", arguments: {} }] }, { text: "done" }], {
    tools: { add: [diary] },
  });
  await drain(agent.send("go"));
  expect(seen).toEqual([1]);
  expect((await runtime.archival.search(name, "harbour")).hits.map((hit) => hit.text)).toEqual([
    "The harbour was full of sails.",
  ]);
});

test("archival inserts for which a tool does not wait are stored with its result", async () => {
  const note = defineTool({
    name: "note",
    description: "Writes, and does not wait.",
    parameters: z.object({}),
    run: (_args, { archival }) => void archival.insert("The pier is closed."),
  });
  const { agent, runtime, name } = await scene([{ toolCalls: [{ name: "note", arguments: {} }] }, { text: "done" }], {
    tools: { add: [note] },
  });
  await drain(agent.send("go"));
  expect(await runtime.archival.count(name)).toBe(1);
});

test("a turn ends after maxSteps with a typed reason", async () => {
  const { agent } = await scene(() => ({ toolCalls: [{ name: "conversation_search", arguments: { query: "x" } }] }), {
    maxSteps: 3,
  });
  expect(await lastOf(agent.send("loop"))).toMatchObject({ stopReason: "max-steps", steps: 3 });
});

test.each([
  ["length", "length"],
  ["refusal", "refusal"],
] as const)("a reply that stops for %s ends the turn with that reason", async (stopReason, expected) => {
  const { agent } = await scene([{ text: "cut", stopReason }]);
  expect((await lastOf(agent.send("go"))).stopReason).toBe(expected);
});

test("a call in a truncated reply is not run, and its result says so", async () => {
  const { agent, model } = await scene([
    {
      toolCalls: [{ name: "core_memory_append", arguments: '{"name": "human", "content": "Na' }],
      stopReason: "length",
    },
    { text: "again" },
  ]);
  await drain(agent.send("go"));
  expect(agent.memory.read("human")).toBe("");
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("the reply was truncated");
});

test("a model that fails ends the turn with its error; the input is kept and the next turn goes on", async () => {
  const error = new ModelUnavailableError("The provider is overloaded.", { provider: "test" });
  const { agent, model } = await scene([{ error }, { text: "back" }]);
  expect(await lastOf(agent.send("first"))).toMatchObject({
    stopReason: "model-error",
    error: { code: "model_unavailable" },
  });
  expect(await lastOf(agent.send("second"))).toMatchObject({ stopReason: "end-turn", text: "back" });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("first");
});

test("an interruption keeps the partial reply, marked, and the next request is valid", async () => {
  const { agent, model } = await scene([{ text: "one two three four five six seven eight" }, { text: "go on" }]);
  const controller = new AbortController();
  const texts: string[] = [];
  for await (const event of agent.send("count", { signal: controller.signal })) {
    if (event.type === "text-delta") texts.push(event.text);
    if (texts.length === 2) controller.abort(new Error("stop"));
    if (event.type === "turn-end") expect(event).toMatchObject({ stopReason: "interrupted", text: texts.join("") });
  }
  expect(agent.messages.at(-1)).toMatchObject({ status: "interrupted", text: texts.join("") });
  expect(await lastOf(agent.send("and?"))).toMatchObject({ stopReason: "end-turn" });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test.each([
  ["the counted tokens if the provider has reported none", null, { cachedInputTokens: 0 }],
  [
    "the reported input of an interrupted call",
    { inputTokens: 900, outputTokens: 1, cachedInputTokens: 700 },
    { inputTokens: 900, cachedInputTokens: 700 },
  ],
])("counts %s, marked as an estimate", async (_, reported, expected) => {
  const scripted = createScriptedModel({ replies: [{ text: "one two three four five six seven eight" }] });
  const model: Model = {
    ...scripted,
    async *stream(request, options) {
      if (reported !== null) yield { type: "usage", usage: reported };
      yield* scripted.stream(request, options);
    },
  };
  const { agent } = await scene([], { models: [model] });
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of agent.send("count", { signal: controller.signal })) {
    events.push(event);
    if (events.filter(({ type }) => type === "text-delta").length === 2) controller.abort(new Error("stop"));
  }
  const usage = { ...expected, isEstimated: true };
  expect(events.at(-2)).toMatchObject({ type: "step-end", usage });
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "interrupted", usage });
  const [step] = await agent.steps(1);
  expect(step?.usage).toMatchObject(expected);
  expect(step?.usage.inputTokens).toBeGreaterThan(100);
  expect(step?.usage.outputTokens).toBeGreaterThan(1);
  expect(step?.usage.outputTokens).toBeLessThan(8);
});

test("an interruption in a tool stores results for all calls, and no effect of them", async () => {
  const controller = new AbortController();
  const wait = defineTool({
    name: "wait",
    description: "Waits for ever.",
    parameters: z.object({}),
    run: () => new Promise(() => controller.abort(new Error("stop"))),
  });
  const replies = [{ toolCalls: [{ name: "wait", arguments: {} }, append("late")] }, { text: "fine" }];
  const { agent, model } = await scene(replies, { tools: { add: [wait] } });
  expect((await lastOf(agent.send("go", { signal: controller.signal }))).stopReason).toBe("interrupted");
  expect(agent.memory.read("human")).toBe("");
  await drain(agent.send("next"));
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("concurrent turns run one after the other", async () => {
  const { agent, model } = await scene((_request, index) => ({ text: `reply ${index}`, delayMs: 5 }));
  const ends = await Promise.all([lastOf(agent.send("one")), lastOf(agent.send("two")), lastOf(agent.send("three"))]);
  expect(ends.map((end) => end.text)).toEqual(["reply 0", "reply 1", "reply 2"]);
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("a blank message is refused before anything is written", async () => {
  const { agent } = await scene([]);
  expect(() => agent.send(" \n")).toThrow(/blank/);
  expect(agent.messages).toEqual([]);
});

test("the same idempotency key adds one message", async () => {
  const { agent } = await scene(() => ({ text: "once" }));
  const events = await drain(agent.send("pay", { idempotencyKey: "k" }));
  expect(await drain(agent.send("pay", { idempotencyKey: "k" }))).toEqual(events);
  expect(agent.messages.filter((message) => message.text === "pay")).toHaveLength(1);
});

test("two agents in one conversation include each other's turns", async () => {
  const { agent, runtime, name } = await scene((_request, index) => ({ text: `reply ${index}` }));
  const other = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  await drain(agent.send("one"));
  await drain(other.send("two"));
  await drain(agent.send("three"));
  expect(agent.messages.map((message) => message.text)).toEqual([
    "one",
    "reply 0",
    "two",
    "reply 1",
    "three",
    "reply 2",
  ]);
});

test("a module changed concurrently during a call refuses the edit, and the model can retry", async () => {
  let runtime: Runtime | null = null;
  const slow = defineTool({
    name: "slow_edit",
    description: "Edits while someone else does.",
    parameters: z.object({}),
    run: async (_args, { core, agent }) => {
      await runtime?.memory.set(agent.name, "human", "theirs");
      core.edit("human", () => "mine");
    },
  });
  const made = await scene(
    [{ toolCalls: [{ name: "slow_edit", arguments: {} }] }, { toolCalls: [append("mine too")] }, { text: "ok" }],
    { tools: { add: [slow] } },
  );
  runtime = made.runtime;
  const events = await drain(made.agent.send("go"));
  expect(events.find((event) => event.type === "tool-result")).toMatchObject({
    status: "failed",
    text: expect.stringContaining("changed concurrently"),
  });
  expect(made.agent.memory.read("human")).toBe("theirs\nmine too");
});

test("retry regenerates the answer to the same message; the earlier reply is no longer found", async () => {
  const { agent, runtime, name } = await scene([{ text: "a zebra" }, { text: "a giraffe" }]);
  await drain(agent.send("Which animal?"));
  expect(await lastOf(agent.retry())).toMatchObject({ text: "a giraffe" });
  expect(agent.messages.map((message) => message.text)).toEqual(["Which animal?", "a giraffe"]);
  expect((await runtime.recall.search(name, "zebra")).total).toBe(0);
  expect((await runtime.recall.search(name, "giraffe")).total).toBe(1);
});

test("a question whose answer is regenerated does not find itself", async () => {
  const search = { toolCalls: [{ name: "conversation_search", arguments: { query: "giraffe" } }] };
  const { agent, model } = await scene([{ text: "I do not know." }, search, { text: "Still not." }]);
  await drain(agent.send("What did I say about the giraffe?"));
  await drain(agent.retry());
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("No results found.");
});

test("an interruption before the first word leaves a history that providers accept", async () => {
  const { agent, model } = await scene([{ text: "fine" }]);
  const controller = new AbortController();
  for await (const event of agent.send("go", { signal: controller.signal })) {
    if (event.type === "step-start") controller.abort(new Error("stop"));
  }
  expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", status: "interrupted", content: [] });
  expect(await lastOf(agent.send("again"))).toMatchObject({ stopReason: "end-turn", text: "fine" });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("an agent is created without the tools that its settings remove", async () => {
  const { runtime, model } = await scene([]);
  const agent = await runtime.agents.open("quiet", { create: { settings: { removedTools: ["conversation_search"] } } });
  await drain(agent.send("hi"));
  expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(
    words(`
      core_memory_append core_memory_replace core_memory_rewrite conversation_search_date archival_memory_insert
      archival_memory_search forget
    `),
  );
});

test("a second user of an agent gets modules of the same limit, and may not change its persona", async () => {
  const { runtime, name } = await scene([], { coreMemoryLimit: 500 });
  await runtime.agents.share(name, "ben");
  const model = createScriptedModel({
    replies: [
      {
        toolCalls: [
          append("Name: Ben"),
          { name: "core_memory_append", arguments: { name: "persona", content: "evil" } },
        ],
      },
      { text: "ok" },
    ],
  });
  const ben = await runtimes.open({ model: "scripted", models: [model], userId: "ben" });
  const shared = await ben.agents.accept(`${runtime.userId}/${name}`);
  const agent = await ben.agents.open(shared.name);
  const events = await drain(agent.send("I am Ben"));
  expect(events.filter((event) => event.type === "tool-result").map((event) => event.status)).toEqual(["ok", "failed"]);
  expect(await ben.memory.show(shared.name)).toMatchObject([
    { label: "persona", value: "", readOnly: true },
    { label: "human", value: "Name: Ben", limit: 500 },
  ]);
  expect((await runtime.memory.show(name))[1]?.value).toBe("");
});

test("undo reverts the last edits one by one, as separate revisions", async () => {
  const { agent, runtime, name } = await scene([{ toolCalls: [append("one"), append("two")] }, { text: "ok" }]);
  await drain(agent.send("go"));
  expect(await agent.undoEdit()).toMatchObject({ revision: 2 });
  expect(agent.memory.read("human")).toBe("one");
  expect(await agent.undoEdit("human")).toMatchObject({ revision: 1 });
  expect(agent.memory.read("human")).toBe("");
  expect(await agent.undoEdit()).toBeNull();
  expect((await runtime.memory.revisions(name)).map((revision) => revision.undoes)).toEqual([1, 2, null, null]);
});

test("unusual text passes through a turn unchanged", async () => {
  const odd = `${"a".repeat(200_000)} 記憶 😀 </human> %_\\'" <|endoftext|>`;
  const { agent, runtime, name } = await scene([{ text: "ok" }]);
  await drain(agent.send(odd));
  const again = await runtime.agents.open(name);
  expect(again.messages[0]?.text).toBe(odd);
  for (const literal of ["記憶", "😀", "%_\\'", "</human>"])
    expect((await runtime.recall.search(name, literal)).total).toBe(1);
  expect((await runtime.recall.search(name, "%%")).total).toBe(0);
});

test("two runtimes that create the same agent concurrently get one agent", async () => {
  const model = createScriptedModel({ replies: [] });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const opened = await Promise.all([1, 2, 3].map(() => runtime.agents.open("twins", { create: {} })));
  expect(new Set(opened.map((agent) => agent.record.id)).size).toBe(1);
});

test("a runtime names the invalid option, and ignores undefined ones", async () => {
  await expect(runtimes.open({ maxSteps: -1 })).rejects.toThrow(/maxSteps: expected a whole number from 1/);
  await expect(runtimes.open({ timeZone: "Mars/Olympus" })).rejects.toThrow(/timeZone: expected an IANA time zone/);
  await expect(createRuntime({})).rejects.toThrow(/dataDir.*databaseUrl/);
  const runtime = await runtimes.open({ model: undefined } as unknown as RuntimeOptions);
  expect(runtime.defaultModel).toBe("demo");
});
