// What a program is told about an agent that it creates with nothing in core memory.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { ChatMemory } from "../../src/memory/core/chat-memory.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { CreateAgentOptions } from "../../src/runtime/agents/contract.ts";
import { useStore } from "../support/database.ts";

const { test: opened } = useStore();

test.each<[string, Omit<CreateAgentOptions, "name">, number]>([
  ["neither text", {}, 1],
  ["another memory class with both sections", { memoryType: "scratchpad" }, 0],
  ["a memory", { memory: new ChatMemory() }, 0],
  ["modules of its own", { modules: [{ label: "tasks" }] }, 0],
  ["a system prompt", { systemPrompt: "You are Reed." }, 0],
  ["a persona", { persona: "I am Reed." }, 0],
  ["a human", { human: "Name: Ada" }, 0],
  ["texts that are empty on purpose", { persona: "", human: "" }, 0],
])("an agent that is created with %s is reported %#: %j", async (title, options, reports) => {
  const lines: string[] = [];
  const models = [createScriptedModel({ replies: [] })];
  const log = (line: string) => lines.push(line);
  const runtime = await composeRuntime({ model: "scripted", models, embedder: null, log }, { store: opened.store });
  await runtime.agents.create({ name: title, ...options });
  expect(lines.filter((line) => line.startsWith(`"${title}" is created with an empty persona`))).toHaveLength(reports);
  await runtime.agents.open(`${title} 2`, { create: options });
  expect(lines.filter((line) => line.startsWith(`"${title} 2" is created with`))).toHaveLength(reports);
  await runtime.close();
});

test("without a log, the report is a warning of the process", async () => {
  const warned: unknown[][] = [];
  const emit = process.emitWarning;
  process.emitWarning = ((...values: unknown[]) => void warned.push(values)) as typeof process.emitWarning;
  try {
    const models = [createScriptedModel({ replies: [] })];
    const runtime = await composeRuntime({ model: "scripted", models, embedder: null }, { store: opened.store });
    await runtime.agents.open("unknown", { create: {} });
    await runtime.agents.open("known", { create: { human: "Name: Ada" } });
    await runtime.close();
  } finally {
    process.emitWarning = emit;
  }
  expect(warned).toEqual([
    [expect.stringContaining('"unknown" is created with an empty persona'), "PalimpsestWarning"],
  ]);
});
