// The thoughts of Claude's current models, which are bound to everything before them: whatever happens to memory and to the thread, no
// request is refused, and each reply has its thought in every later request until a compaction.
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { createAnthropicModel } from "../../src/llm/anthropic/anthropic-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { z } from "zod";
import { type BoundThoughtsServer, createBoundThoughtsServer } from "../support/bound-thoughts.ts";
import { createTestRuntimes, drain, lastOf, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;
let server: BoundThoughtsServer;
let users = 0;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

beforeEach(async () => {
  server = await createBoundThoughtsServer();
});
afterEach(() => server.close());

const look = defineTool({ name: "look", description: "Looks.", parameters: z.object({}), run: () => "Nothing." });

async function open(options: object = {}, userId = `thinker-${(users += 1)}`) {
  const model = createAnthropicModel({
    model: "claude-opus-5-5",
    apiKey: "k",
    baseUrl: server.url,
    contextWindow: 200_000,
  });
  const runtime = await runtimes.open({ userId, model: model.name, models: [model], ...options });
  return { runtime, agent: await runtime.agents.open("main", { create: {} }) };
}

async function say(agent: Agent, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const { stopReason, usage } = (await lastOf(agent.send(text))) as Extract<
      AgentEvent,
      { readonly type: "turn-end" }
    >;
    expect([stopReason, usage.droppedThoughts]).toEqual(["end-turn", undefined]);
  }
}

/** Expects that nothing was refused, and that every reply in every request had its thought. */
function expectAllThoughts(): void {
  expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  expect(server.requests.map(({ withoutThought }) => withoutThought)).toEqual(server.requests.map(() => 0));
  expect(server.requests.at(-1)!.thoughts).toBeGreaterThan(0);
}

test("text, and three tools in a row", async () => {
  const { agent } = await open();
  await say(agent, "hello", "three tools", "and now?");
  expectAllThoughts();
  expect(server.requests).toHaveLength(6);
  expect(server.requests.at(-1)!.thoughts).toBe(5);
});

test("edits by the user, undone and forgotten, and another process", async () => {
  const { agent, runtime } = await open();
  await say(agent, "three tools");
  await runtime.memory.set("main", "human", "Lives in Lisbon.");
  await say(agent, "hello");
  await runtime.memory.undo("main", "human", { force: true });
  await say(agent, "three tools");
  const again = await runtime.agents.open("main");
  await runtime.memory.set("main", "human", "Lives in Porto.");
  await say(again, "hello", "three tools");
  expectAllThoughts();
  const entries = server.requests.at(-1)!.body.messages.filter(({ role }) => role === "system");
  expect(JSON.stringify(entries.at(-1))).toContain("Lives in Porto.");
});

test("a section that another agent edits", async () => {
  const { agent, runtime } = await open();
  const { id } = await runtime.modules.create({ label: "notes", value: "Tea." });
  await runtime.modules.attach("main", id);
  const other = await runtime.agents.open("other", { create: { memoryType: "free", modules: [id] } });
  await say(agent, "hello");
  await runtime.memory.set("other", "notes", "Coffee.");
  await say(agent, "three tools");
  expectAllThoughts();
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain("Coffee.");
  expect(other.record.name).toBe("other");
});

test("a rewind, a branch and a copy", async () => {
  const { agent, runtime } = await open();
  await say(agent, "hello", "three tools");
  const asked = agent.messages.find(({ role, text }) => role === "user" && text === "three tools")!;
  await runtime.memory.set("main", "human", "Set.");
  expect(await lastOf(agent.regenerate(asked.id, { memory: "keep" }))).toMatchObject({ stopReason: "end-turn" });
  await say(agent, "hello again");
  const copy = await runtime.conversations.fork(agent.conversationId);
  const branch = await runtime.agents.open("main", { conversation: { id: copy.id } });
  await say(branch, "three tools");
  expectAllThoughts();
});

test("rules about the next call, and a tool that goes and comes back", async () => {
  const { agent, runtime } = await open({ tools: { add: [look] } });
  await runtime.agents.update("main", {
    toolRules: [{ type: "max-count-per-turn", tool: "core_memory_append", count: 3 }],
  });
  await say(agent, "hello");
  const ruled = await runtime.agents.open("main");
  await say(ruled, "three tools");
  expect(JSON.stringify(server.requests.at(-1)!.body.messages)).toContain(
    "Your next reply cannot call: core_memory_append",
  );
  const { agent: without } = await open({}, runtime.userId);
  await say(without, "hello");
  const { agent: back } = await open({ tools: { add: [look] } }, runtime.userId);
  await say(back, "hello");
  expectAllThoughts();
  const tools = new Set(server.requests.map(({ body }) => JSON.stringify(body.tools)));
  expect(tools.size).toBe(1);
});

test("after a compaction none of the kept thoughts, and all later ones", async () => {
  const { agent } = await open({ keepLast: 4, compaction: "truncate" });
  await say(agent, "hello", "hello", "three tools");
  expectAllThoughts();
  const before = server.requests.length;
  await agent.compact();
  await say(agent, "three tools");
  await drain(agent.send("hello"));
  const later = server.requests.slice(before);
  expect(later.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  const kept = later[0]!.withoutThought;
  expect(kept).toBeGreaterThan(0);
  expect(later.map(({ thoughts, withoutThought }) => [thoughts, withoutThought])).toEqual(
    later.map((_, at) => [at, kept]),
  );
});
