// How many transactions it takes to open an agent: the cost of opening is mostly its round trips to the database.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { MemoryClass } from "../../src/memory/core/base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "../../src/memory/core/chat-memory.ts";
import { MemoryModule } from "../../src/memory/core/memory-module.ts";
import type { OpenAgentOptions } from "../../src/runtime/agents/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore } from "../support/database.ts";
import { recordingCalls } from "../support/record-store-calls.ts";
import { drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const opened = useScene(() => openTestStore());

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
