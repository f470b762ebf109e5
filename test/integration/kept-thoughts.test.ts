// The thoughts of Claude's current models, which are bound to everything before them, and the reasoning items of OpenAI's: whatever
// happens to memory and to the thread, no request is refused, and each reply has its thought in every later request until a compaction.
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { createAnthropicModel } from "../../src/model/llm/anthropic/anthropic-model.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../src/model/llm/openai/openai-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { z } from "zod";
import { createBoundThoughtsServer } from "../support/bound-thoughts.ts";
import { createReasoningServer } from "../support/reasoning-server.ts";
import { createReturnedThoughtsServer } from "../support/returned-thoughts.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import type { ThinkingServer } from "../support/thinking-server.ts";
import { until } from "../support/until.ts";

const runtimes = useRuntimes();
let server: ThinkingServer;
let users = 0;

afterEach(() => server.close());

interface Api {
  readonly createServer: () => Promise<ThinkingServer>;
  readonly createModel: (url: string) => Model;
}

const claude: Api = {
  createServer: createBoundThoughtsServer,
  createModel: (url) =>
    createAnthropicModel({ model: "claude-opus-5-5", apiKey: "k", baseUrl: url, contextWindow: 200_000 }),
};
const openai: Api = {
  createServer: createReasoningServer,
  createModel: (url) =>
    createOpenAIModel({
      api: "responses",
      model: "gpt-5.6",
      apiKey: "k",
      baseUrl: `${url}/v1`,
      contextWindow: 200_000,
    }),
};
const deepseek: Api = {
  createServer: createReturnedThoughtsServer,
  createModel: (url) =>
    createOpenAIModel({ api: "chat", model: "v4", apiKey: "k", baseUrl: `${url}/v1`, contextWindow: 200_000 }),
};
let api = claude;

async function begin(chosen: Api): Promise<void> {
  api = chosen;
  server = await api.createServer();
}

const look = defineTool({ name: "look", description: "Looks.", parameters: z.object({}), run: () => "Nothing." });

async function open(options: object = {}, userId = `thinker-${(users += 1)}`) {
  const model = api.createModel(server.url);
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

describe.each([
  ["Claude", claude],
  ["OpenAI", openai],
] as const)("%s", (_name, chosen) => {
  beforeEach(() => begin(chosen));

  test("text, and three tools in a row", async () => {
    const { agent } = await open();
    await say(agent, "hello", "three tools", "and now?");
    expectAllThoughts();
    expect(server.requests).toHaveLength(6);
    expect(server.requests.at(-1)!.thoughts).toBe(5);
  });

  test("turns without a reply, and everything after them", async () => {
    const { agent } = await open();
    server.fails = true;
    expect(await lastOf(agent.send("hello"))).toMatchObject({ stopReason: "model-error" });
    Object.assign(server, { fails: false, hangs: true });
    const stop = new AbortController();
    const stopped = lastOf(agent.send("hello again", { signal: stop.signal }));
    await until(() => server.requests.length === 2);
    stop.abort();
    expect(await stopped).toMatchObject({ stopReason: "interrupted" });
    server.hangs = false;
    await say(agent, "three tools", "and now?");
    expectAllThoughts();
  });

  test("edits by the user, undone, and another process", async () => {
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
    expect(server.requests.at(-1)!.entries.at(-1)).toContain("Lives in Porto.");
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
    expect(server.requests.at(-1)!.entries.at(-1)).toContain("Coffee.");
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
    expect(server.requests.at(-1)!.entries.at(-1)).toContain("Your next reply cannot call: core_memory_append");
    const { agent: without } = await open({}, runtime.userId);
    await say(without, "hello");
    const { agent: back } = await open({ tools: { add: [look] } }, runtime.userId);
    await say(back, "hello");
    expectAllThoughts();
    const tools = new Set(server.requests.map(({ tools }) => tools));
    expect(tools.size).toBe(1);
  });

  test("what is forgotten elsewhere", async () => {
    const { agent, runtime } = await open();
    await runtime.archival.add("main", "The boat is called Cinderella.");
    await say(agent, "hello", "three tools");
    expect(await runtime.forget.apply({ texts: ["Cinderella"] })).toMatchObject({ id: expect.any(String) });
    await say(agent, "three tools");
    expectAllThoughts();
  });

  test("what is looked up for a message, and files that are opened", async () => {
    const { runtime } = await open();
    const before = await runtime.agents.open("assisted", { create: { settings: { assist: "on" } } });
    await say(before, "My dog Bruno is six years old.");
    await runtime.sources.create("work");
    await runtime.sources.attach("assisted", "work");
    await runtime.sources.load("work", [{ name: "tea.md", data: "Tea is green." }]);
    const agent = await runtime.agents.open("assisted", { conversation: "new" });
    await say(agent, "What is my dog called?", "three tools");
    const [file] = await runtime.sources.attachedFiles("assisted");
    await runtime.sources.openFile("assisted", file!.id);
    await say(agent, "three tools", "hello");
    expectAllThoughts();
    const { text } = server.requests.at(-1)!;
    for (const shown of ["My dog Bruno is six years old.", "Tea is green."]) expect(text.split(shown)).toHaveLength(2);
  });

  test("a turn that was handed over between two calls", async () => {
    const { agent, runtime } = await open();
    await say(agent, "hello");
    const left = (async () => {
      for await (const event of agent.send("three tools")) {
        if (event.type !== "tool-result") continue;
        server.hangs = true;
        void runtime.close({ graceMs: 0 });
      }
    })();
    await expect(left).rejects.toMatchObject({ code: "runtime_closing" });
    server.hangs = false;
    const next = await open({}, runtime.userId);
    expect(next.agent.unfinished).toBe(true);
    expect(await lastOf(next.agent.resume())).toMatchObject({ stopReason: "end-turn" });
    await say(next.agent, "hello");
    expectAllThoughts();
    expect(server.requests.at(-1)!.thoughts).toBe(5);
  });

  test("an agent with assist", async () => {
    const { runtime } = await open();
    const agent = await runtime.agents.open("assisted", { create: { settings: { assist: "on" } } });
    await say(agent, "hello", "three tools", "hello");
    expectAllThoughts();
  });

  test("a summary, and everything after it", async () => {
    const { agent } = await open({ keepLast: 2 });
    await say(agent, "hello", "three tools");
    await agent.compact();
    const before = server.requests.length;
    await say(agent, "three tools", "hello");
    const later = server.requests.slice(before);
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(later.at(-1)!.thoughts).toBeGreaterThanOrEqual(4);
  });
});

test("after a compaction none of the kept thoughts of Claude, and all later ones", async () => {
  await begin(claude);
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

test("DeepSeek's thoughts come back in all turns with calls", async () => {
  await begin(deepseek);
  const { agent } = await open();
  await say(agent, "hello", "three tools", "and now?", "three tools", "hello");
  expectAllThoughts();
});
