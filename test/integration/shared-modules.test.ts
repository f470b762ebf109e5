// Modules as rows of their own, through the library: agents that are made with them, turns of two agents, sharing.
import { z } from "zod";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

let users = 0;

async function open(replies: ScriptedReplies = [], userId = `user-${(users += 1)}`, add: readonly Tool[] = []) {
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({ userId, model: "scripted", models: [model], tools: { add } });
  /** What the model was sent last. */
  const sent = () => JSON.stringify(model.requests.at(-1));
  return { runtime, sent };
}

function appending(content: string) {
  return { toolCalls: [{ name: "core_memory_append", arguments: { name: "notes", content } }] };
}

const free = { memoryType: "free" } as const;

test("an agent is created with existing and new modules, and with no others of a free memory", async () => {
  const { runtime, sent } = await open([{ text: "Yes." }]);
  const notes = await runtime.modules.create({ label: "notes", value: "Tea at five.", tags: ["daily"] });
  const rules = { label: "rules", value: "Be brief.", description: "House rules", limit: 300, readOnly: true };
  await runtime.agents.create({ ...free, name: "one", modules: [rules, notes.id] });
  const agent = await runtime.agents.open("one");
  expect(await runtime.memory.show("one")).toMatchObject([rules, { id: notes.id, ownerId: runtime.userId }]);
  await drain(agent.send("Hello"));
  expect(sent()).toContain("Tea at five.");
  expect(sent()).toContain("Be brief.");
  expect(await runtime.modules.holders(notes.id)).toMatchObject([{ agentName: "one" }]);
});

test("a module by value replaces the one of the memory class with its label", async () => {
  const { runtime } = await open();
  await runtime.agents.create({ name: "one", modules: [{ label: "human", value: "Ada", limit: 50 }] });
  const views = await runtime.memory.show("one");
  expect(views.map(({ label, value, limit }) => [label, value, limit])).toEqual([
    ["persona", "", 4000],
    ["human", "Ada", 50],
  ]);
  const twice = [{ label: "notes" }, { label: "notes" }];
  await expect(runtime.agents.create({ name: "two", modules: twice })).rejects.toMatchObject({ code: "module_exists" });
  expect(await runtime.agents.count()).toBe(1);
});

test("an attached module is in an open agent's prompt with its next request, and a detached one no more", async () => {
  const { runtime, sent } = await open([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const { id } = await runtime.modules.create({ label: "notes", value: "Tea at five." });
  const agent = await runtime.agents.open("one", { create: free });
  await drain(agent.send("Hello"));
  expect(sent()).not.toContain("Tea at five.");
  expect([await runtime.modules.attach("one", id), await runtime.modules.attach("one", id)]).toEqual([true, false]);
  await drain(agent.send("And now?"));
  expect(sent()).toContain("Tea at five.");
  expect(await runtime.modules.detach("one", id)).toBe(true);
  await drain(agent.send("And now?"));
  expect(agent.memory.labels()).toEqual([]);
  expect(await runtime.modules.find(id)).toMatchObject({ value: "Tea at five." });
});

test("an edit of one agent is in the next request of another, is undone by its revision, and names its agent", async () => {
  const { runtime, sent } = await open([appending("Coffee at six."), { text: "Saved." }, { text: "Six." }]);
  const { id } = await runtime.modules.create({ label: "notes", value: "Tea at five." });
  const first = await runtime.agents.open("one", { create: { ...free, modules: [id] } });
  const second = await runtime.agents.open("two", { create: { ...free, modules: [id] } });
  await drain(first.send("Coffee at six."));
  await drain(second.send("When?"));
  expect(sent()).toContain("Coffee at six.");
  const [revision] = await runtime.modules.revisions(id);
  expect(revision).toMatchObject({ agentId: first.record.id, toolName: "core_memory_append", revision: 1 });
  expect(await runtime.memory.cause("one", "notes", 1)).toMatchObject({ revision: { moduleId: id } });
  await first.pop();
  expect(await runtime.modules.find(id)).toMatchObject({ value: "Tea at five.", revision: 2 });
});

test("two agents that append to one module at the same time keep both lines", async () => {
  const rounds = 5;
  const line = (agent: string, round: number) => `Line ${round} of ${agent}.`;
  const runtimeOf = async (agent: string, userId?: string) => {
    const replies = Array.from({ length: rounds }, (_, round) => [appending(line(agent, round)), { text: "Saved." }]);
    return (await open(replies.flat(), userId)).runtime;
  };
  const one = await runtimeOf("one");
  const two = await runtimeOf("two", one.userId);
  const { id } = await one.modules.create({ label: "notes", value: "" });
  const agents = [
    await one.agents.open("one", { create: { ...free, modules: [id] } }),
    await two.agents.open("two", { create: { ...free, modules: [id] } }),
  ];
  for (let round = 0; round < rounds; round += 1) await Promise.all(agents.map((agent) => drain(agent.send("Add."))));
  const { value, revision } = await one.modules.find(id);
  const lines = ["one", "two"].flatMap((agent) => Array.from({ length: rounds }, (_, round) => line(agent, round)));
  expect(value.split("\n").sort()).toEqual(lines.sort());
  expect(revision).toBe(2 * rounds);
});

describe("a module that takes the place of one with the same label during a turn", () => {
  const rewriting = {
    name: "core_memory_replace",
    arguments: { name: "notes", old_content: "Tea.", new_content: "Milk." },
  };

  it.each([
    { edit: "append", call: appending("Milk.").toolCalls[0]!, status: "ok", after: "Coffee.\nMilk.", revision: 1 },
    { edit: "rewrite", call: rewriting, status: "failed", after: "Coffee.", revision: 0 },
  ])("keeps its text under the model's $edit", async ({ call, status, after, revision }) => {
    const swap = defineTool({
      name: "swap",
      description: "Exchanges the modules.",
      parameters: z.object({}),
      run: async () => {
        await runtime.modules.detach("one", tea.id);
        await runtime.modules.attach("one", coffee.id);
        return "Exchanged.";
      },
    });
    const { runtime } = await open(
      [{ toolCalls: [{ name: "swap", arguments: {} }, call] }, { text: "Done." }],
      undefined,
      [swap],
    );
    const tea = await runtime.modules.create({ label: "notes", value: "Tea." });
    const coffee = await runtime.modules.create({ label: "notes", value: "Coffee." });
    const agent = await runtime.agents.open("one", { create: { ...free, modules: [tea.id] } });
    const events = await drain(agent.send("Write."));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-result", name: call.name, status }));
    expect(await runtime.modules.find(tea.id)).toMatchObject({ value: "Tea.", revision: 0 });
    expect(await runtime.modules.find(coffee.id)).toMatchObject({ value: after, revision });
  });
});

test("a module's file is not written with the version of another module that had its label", async () => {
  const { runtime } = await open();
  const { memoryFiles, modules } = runtime;
  const file = async () => (await memoryFiles.list("one")).find(({ path }) => path === "notes.md")!;
  const tea = await modules.create({ label: "notes", value: "Tea." });
  const coffee = await modules.create({ label: "notes", value: "Coffee." });
  await runtime.agents.create({ ...free, name: "one", modules: [tea.id] });
  const { version } = await file();
  await modules.detach("one", tea.id);
  await modules.attach("one", coffee.id);
  const change = { text: "Tea at five.", version };
  await expect(memoryFiles.write("one", "notes.md", change)).rejects.toMatchObject({ code: "revision_conflict" });
  const written = await memoryFiles.write("one", "notes.md", { ...change, version: (await file()).version });
  expect(await file()).toMatchObject({ text: "Tea at five.", version: written.version });
});

test("a read-only module refuses the model's edit with a failed result", async () => {
  const { runtime } = await open([appending("Coffee at six."), { text: "I cannot." }]);
  const { id } = await runtime.modules.create({ label: "notes", value: "Tea at five.", readOnly: true });
  const more = { label: "more" };
  const agent = await runtime.agents.open("one", { create: { ...free, modules: [id, more] } });
  const events = await drain(agent.send("Coffee at six."));
  expect(events).toContainEqual(expect.objectContaining({ type: "tool-result", status: "failed" }));
  expect(await runtime.modules.find(id)).toMatchObject({ value: "Tea at five.", revision: 0 });
});

test("the settings and the value of a module are changed within its limit", async () => {
  const { runtime } = await open();
  const { id } = await runtime.modules.create({ label: "notes", value: "Tea", limit: 10 });
  await expect(runtime.modules.update(id, { value: "x".repeat(11) })).rejects.toMatchObject({ code: "module_limit" });
  await expect(runtime.modules.update(id, { limit: 2 })).rejects.toMatchObject({ code: "module_limit" });
  await expect(runtime.modules.update(id, { label: "no label" })).rejects.toMatchObject({
    code: "memory_definition_invalid",
  });
  expect(await runtime.modules.update(id, { value: "Coffee", label: "drinks", tags: ["a"] })).toMatchObject({
    label: "drinks",
    value: "Coffee",
    tags: ["a"],
    revision: 1,
  });
  expect(await runtime.modules.revisions(id)).toMatchObject([{ origin: "api", before: "Tea", after: "Coffee" }]);
  await runtime.modules.delete(id);
  await expect(runtime.modules.find(id)).rejects.toMatchObject({ code: "module_unknown" });
});

test("modules are listed by label, tag and text, in both orders, page by page", async () => {
  const { runtime } = await open();
  const made = [];
  for (const label of ["one", "two", "three"])
    made.push(await runtime.modules.create({ label, value: `text of ${label}`, tags: [label, "all"] }));
  const labels = async (options: object) => (await runtime.modules.list(options)).map(({ label }) => label);
  expect(await labels({})).toEqual(["three", "two", "one"]);
  expect(await labels({ order: "oldest", after: made[0]!.id, limit: 1 })).toEqual(["two"]);
  expect(await labels({ before: made[0]!.id, limit: 1 })).toEqual(["two"]);
  expect(await labels({ tags: ["one", "two"] })).toEqual(["two", "one"]);
  expect(await labels({ text: "OF T" })).toEqual(["three", "two"]);
  expect(await labels({ label: "one" })).toEqual(["one"]);
});

test("a module shared with another user is edited by that user's agent, with the lowest trust", async () => {
  const ada = await open();
  const ben = await open([appending("From Ben."), { text: "Saved." }]);
  const { id } = await ada.runtime.modules.create({ label: "notes", value: "From Ada." });
  await ada.runtime.modules.share(id, ben.runtime.userId, "append");
  expect(await ben.runtime.modules.offers()).toMatchObject([{ moduleId: id, access: "append" }]);
  await ben.runtime.modules.accept(id);
  const agent = await ben.runtime.agents.open("one", { create: { ...free, modules: [id] } });
  await drain(agent.send("Hello"));
  expect(await ada.runtime.modules.find(id)).toMatchObject({ value: "From Ada.\nFrom Ben.", trust: "external" });
  expect(await ada.runtime.modules.revisions(id)).toMatchObject([{ editorId: ben.runtime.userId, agentId: null }]);
  await expect(ben.runtime.modules.update(id, { value: "Mine." })).rejects.toMatchObject({
    code: "module_append_only",
  });
  expect(await ada.runtime.modules.unshare(id, ben.runtime.userId)).toBe(true);
  expect(await ben.runtime.memory.show("one")).toEqual([]);
  await expect(ben.runtime.modules.decline(id)).rejects.toMatchObject({ code: "offer_not_found" });
});
