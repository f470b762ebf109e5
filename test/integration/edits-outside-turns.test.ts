// Edits of core memory and of the archive by the user, and by programs for the user, outside of a turn.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ModuleEdit } from "../../src/runtime/memory/contract.ts";
import { useStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";

const { test: opened } = useStore();

async function newAgent(name: string, human = "Name: Ada") {
  const models = [createScriptedModel({ replies: [] })];
  const runtime = await composeRuntime({ model: "scripted", models, embedder: null }, { store: opened.store });
  await runtime.agents.create({ name, persona: "I am Reed.", human });
  const textOf = async (label: string) => (await runtime.memory.show(name)).find((module) => module.label === label);
  return { runtime, memory: runtime.memory, textOf };
}

const assistant = { client: "assistant", trust: "external" } as const;

test("an edit appends, replaces or rewrites, and returns null if it changes nothing", async () => {
  const { memory } = await newAgent("edits");
  expect(await memory.edit("edits", "human", { append: "Lives in Lisbon" })).toMatchObject({
    label: "human",
    revision: 1,
    before: "Name: Ada",
    after: "Name: Ada\nLives in Lisbon",
  });
  expect(await memory.edit("edits", "human", { replace: "Lisbon", with: "Porto" })).toMatchObject({
    revision: 2,
    after: "Name: Ada\nLives in Porto",
  });
  expect(await memory.edit("edits", "human", { rewrite: "Name: Ada Lovelace" })).toMatchObject({ revision: 3 });
  expect(await memory.edit("edits", "human", { rewrite: "Name: Ada Lovelace" })).toBeNull();
});

test("an edit by a program names it and lowers the trust of the section, whoever writes more lines", async () => {
  const { memory, textOf } = await newAgent("by a program");
  const agent = "by a program";
  await memory.edit(agent, "human", { append: "Likes tea" }, { by: assistant });
  await memory.edit(agent, "human", { append: "Likes figs" }, { by: { client: "editor", trust: "user" } });
  await memory.remember(agent, "Likes rain", { by: assistant });
  await memory.undo(agent, "human", { by: assistant });
  expect(
    (await memory.revisions(agent)).map(({ origin, client, trust, undoes }) => [origin, client, trust, undoes]),
  ).toEqual([
    ["api", "assistant", "external", 3],
    ["api", "assistant", "external", null],
    ["api", "editor", "user", null],
    ["api", "assistant", "external", null],
  ]);
  expect(await textOf("human")).toMatchObject({ value: "Name: Ada\nLikes tea\nLikes figs", trust: "external" });
  expect(await textOf("persona")).toMatchObject({ trust: "user" });
});

test("a passage by a program has the trust that the user gave it", async () => {
  const { runtime } = await newAgent("passages");
  await runtime.archival.add("passages", "The boat is called Tern.", { by: assistant });
  await runtime.archival.add("passages", "The oars are ash.");
  const rows = await runtime.archival.list("passages");
  expect(rows.map(({ text, origin, trust }) => [text, origin, trust])).toEqual([
    ["The oars are ash.", "user", "user"],
    ["The boat is called Tern.", "api", "external"],
  ]);
});

test("an edit of the memory that an open agent shows is neither in the prompt nor saved", async () => {
  const add = { name: "core_memory_append", arguments: { name: "human", content: "Likes figs" } };
  const model = createScriptedModel({ replies: [{ text: "Hi." }, { toolCalls: [add] }, { text: "Noted." }] });
  const options = { model: "scripted", models: [model], embedder: null };
  const runtime = await composeRuntime(options, { store: opened.store });
  const agent = await runtime.agents.open("shown", { create: { human: "Name: Ada" } });
  await drain(agent.send("Hello"));
  agent.memory.append("human", "Likes nothing");
  expect(agent.memory.read("human")).toBe("Name: Ada");
  await drain(agent.send("I like figs."));
  expect(JSON.stringify(model.requests)).not.toContain("Likes nothing");
  expect(await runtime.memory.revisions("shown")).toMatchObject([
    { revision: 1, before: "Name: Ada", after: "Name: Ada\nLikes figs" },
  ]);
});

test("of lines that eight programs append at the same time, each is there once", async () => {
  const { memory, textOf } = await newAgent("busy", "");
  const lines = Array.from({ length: 8 }, (_, writer) => Array.from({ length: 10 }, (__, line) => `${writer}-${line}`));
  await Promise.all(
    lines.map(async (own, writer) => {
      for (const line of own)
        await memory.edit("busy", "human", { append: line }, { by: { client: `client ${writer}`, trust: "user" } });
    }),
  );
  const human = await textOf("human");
  expect(human!.value.split("\n").sort()).toEqual(lines.flat().sort());
  expect(human!.revision).toBe(80);
});

test.each<[string, unknown, string]>([
  ["none of the forms", {}, "got none"],
  ["two forms", { append: "a", rewrite: "b" }, "got append and rewrite"],
  ["a replacement without a new text", { replace: "Ada" }, "got replace"],
])("an edit of %s is refused, and nothing changes", async (title, edit, got) => {
  const { memory } = await newAgent(title);
  await expect(memory.edit(title, "human", edit as ModuleEdit)).rejects.toMatchObject({
    code: "input_invalid",
    message: expect.stringContaining(got),
  });
  expect(await memory.revisions(title)).toEqual([]);
});

test("a text that does not occur is reported, and a section that does not exist", async () => {
  const { memory } = await newAgent("missing");
  await expect(memory.edit("missing", "human", { replace: "Porto", with: "Faro" })).rejects.toMatchObject({
    code: "edit_mismatch",
  });
  await expect(memory.edit("missing", "work", { append: "x" })).rejects.toMatchObject({ code: "module_not_found" });
  await expect(
    memory.edit("missing", "human", { append: "x" }, { by: { client: "a" } as never }),
  ).rejects.toMatchObject({ code: "input_invalid" });
});
