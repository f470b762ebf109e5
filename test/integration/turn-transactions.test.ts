// How many transactions a turn and the opening of an agent take: their cost is mostly their round trips to the database.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { MemoryClass } from "../../src/memory/core/base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "../../src/memory/core/chat-memory.ts";
import { MemoryModule } from "../../src/memory/core/memory-module.ts";
import type { OpenAgentOptions } from "../../src/runtime/agents/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { recordingCalls } from "../support/record-store-calls.ts";
import { useStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";

const { test: opened } = useStore();

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };
const appends = { name: "core_memory_append", arguments: { name: "human", content: "Likes tea." } };

/** Made while a turn lasts longer than a moment, as on a busy machine. */
const ofLongTurns = new Set(["leases.isStopped", "events.append"]);

test.each([
  ["text", [{ text: "Hello.", usage }], ["turns.begin", "turns.commitReply"]],
  [
    "a tool call",
    [
      { toolCalls: [appends], usage },
      { text: "Noted.", usage },
    ],
    ["turns.begin", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "two calls",
    [
      { toolCalls: [appends, appends], usage },
      { text: "Noted.", usage },
    ],
    ["turns.begin", "turns.commitReply", "turns.commitToolResult", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "a search, which may wait for an embedder",
    [
      { toolCalls: [{ name: "conversation_search", arguments: { query: "tea" } }], usage },
      { text: "Nothing.", usage },
    ],
    ["turns.begin", "turns.commitReply", "recall.search", "turns.commitToolResult", "turns.commitReply"],
  ],
  [
    "an edit that needs approval",
    [{ toolCalls: [{ name: "archival_memory_insert", arguments: { content: "tea" } }], usage }],
    ["turns.begin", "turns.commitReply", "approvals.request", "leases.release"],
  ],
  ["a reply without usage", [{ text: "Hello." }], ["turns.begin", "turns.commitReply"]],
])("a turn with %s writes in as few transactions as it can", async (title, replies, expected) => {
  const calls: string[] = [];
  const model = createScriptedModel({ replies: [{ text: "Hi.", usage }, ...replies] });
  const options = { model: "scripted", models: [model], embedder: null };
  const runtime = await composeRuntime(options, { store: recordingCalls(opened.store, calls) });
  const settings = { approvals: ["archival_memory_insert"] };
  const agent = await runtime.agents.open(title, { create: { settings } });
  await drain(agent.send("first"));
  calls.length = 0;
  await drain(agent.send("second"));
  expect(calls.filter((call) => !ofLongTurns.has(call))).toEqual(expected);
  const other = await runtime.agents.open(title, { conversation: { id: agent.conversationId } });
  expect(other.unfinished).toBe(false);
  await runtime.close();
});

test("a turn of a user with a limit per day reads the day's usage once before each call, and nothing else", async () => {
  const calls: string[] = [];
  const replies = [
    { toolCalls: [appends], usage },
    { text: "Noted.", usage },
  ];
  const options = { userId: "limited", model: "scripted", models: [createScriptedModel({ replies })], embedder: null };
  const runtime = await composeRuntime(
    { ...options, maxDailyTokens: 1_000_000 },
    { store: recordingCalls(opened.store, calls) },
  );
  const agent = await runtime.agents.open("limited", { create: {} });
  calls.length = 0;
  await drain(agent.send("first"));
  expect(calls.filter((call) => call.startsWith("steps."))).toEqual(["steps.usageSince", "steps.usageSince"]);
  await runtime.close();
});

class OlderMemory extends ChatMemory {
  static override readonly type = "growing";
}

class NewerMemory extends OlderMemory {
  constructor(init: ChatMemoryOptions = {}) {
    super(init);
    this.add(new MemoryModule({ label: "tasks", value: "none yet" }));
  }
}

async function open(memoryClass: MemoryClass, calls: string[]): Promise<Runtime> {
  const model = createScriptedModel({ replies: [{ text: "Hello." }] });
  const options = { model: "scripted", models: [model], embedder: null, memoryClasses: [memoryClass] };
  return composeRuntime(options, { store: recordingCalls(opened.store, calls) });
}

/** Without the expiry of old events, which runs once per runtime in the background. */
const awaited = (calls: readonly string[]) => calls.filter((call) => call !== "events.expire");

const create = { memoryType: "growing" } as const;

test.each<[string, OpenAgentOptions, readonly string[]]>([
  ["in its last conversation", {}, ["openings.read"]],
  ["in its last conversation, or created", { create }, ["openings.read"]],
  ["in a new conversation", { conversation: "new" }, ["openings.read", "conversations.create"]],
])("an existing agent is opened %s in as few transactions as it can", async (title, options, expected) => {
  const calls: string[] = [];
  const runtime = await open(OlderMemory, calls);
  const first = await runtime.agents.open(title, { create });
  await drain(first.send("hello"));
  calls.length = 0;
  const agent = await runtime.agents.open(title, options);
  expect(awaited(calls)).toEqual(expected);
  expect(agent.memory.labels()).toEqual(["persona", "human"]);
  expect(agent.messages).toHaveLength(options.conversation === "new" ? 0 : 2);
  await runtime.close();
});

test("a new agent is created and opened in few transactions", async () => {
  const calls: string[] = [];
  const runtime = await open(OlderMemory, calls);
  await runtime.agents.open("new", { create });
  expect(awaited(calls)).toEqual([
    "openings.read",
    "agents.former",
    "agents.create",
    "openings.read",
    "conversations.create",
  ]);
  await runtime.close();
});

test("opening writes only the modules that the agent's class has gained", async () => {
  const calls: string[] = [];
  const before = await open(OlderMemory, []);
  await before.agents.open("growing", { create });
  await before.close();
  const runtime = await open(NewerMemory, calls);
  const agent = await runtime.agents.open("growing");
  expect(awaited(calls)).toEqual(["openings.read", "modules.addMissing", "modules.list"]);
  expect(agent.memory.read("tasks")).toBe("none yet");
  calls.length = 0;
  expect((await runtime.agents.open("growing")).memory.labels()).toEqual(["persona", "human", "tasks"]);
  expect(awaited(calls)).toEqual(["openings.read"]);
  await runtime.close();
});
