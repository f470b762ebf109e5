// Ephemeral conversations: an agent's data is read, and unchanged afterwards.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { runInWorld } from "../support/fake-world.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let opened: Runtime[] = [];

afterEach(async () => {
  // Each has an engine in memory.
  for (const runtime of opened) await runtime.close();
  opened = [];
});

const append = { name: "core_memory_append", arguments: { name: "human", content: "Drinks tea." } };
const insert = { name: "archival_memory_insert", arguments: { content: "The boat is called Aurora." } };
const search = { name: "archival_memory_search", arguments: { query: "lighthouse" } };

async function open(replies: readonly ScriptedReply[]) {
  const model = createScriptedModel({ replies });
  return { model, runtime: await openRuntime({ model: "scripted", models: [model] }) };
}

async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const runtime = await runtimes.open(options);
  opened.push(runtime);
  return runtime;
}

/** Everything that could have changed. */
const stateOf = async (runtime: Runtime, agent: string) => ({
  agents: (await runtime.agents.list()).map(({ name, model }) => ({ name, model })),
  modules: await runtime.memory.show(agent),
  revisions: await runtime.memory.revisions(agent),
  passages: await runtime.archival.list(agent, { limit: 100 }),
  conversations: await runtime.conversations.list(agent),
  usage: await runtime.user.usage(),
});

async function textOfBackup(runtime: Runtime): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-backup-"));
  try {
    const file = join(folder, "backup.gz");
    await runtime.backup(file);
    return gunzipSync(readFileSync(file)).toString("utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const callsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "tool-result" ? [[event.name, event.status, event.text]] : []));

describe("an ephemeral conversation", () => {
  it("reads the agent's data, keeps edits while it is open, and changes nothing afterwards", async () => {
    const keeper = await open([{ text: "Hello." }]);
    const lasting = await keeper.runtime.agents.open("ada", { create: { human: "Name: Ada" } });
    await drain(lasting.send("Hi."));
    await keeper.runtime.archival.add("ada", "The lighthouse stands on the cape.");
    const before = await stateOf(keeper.runtime, "ada");

    const passing = await open([
      { toolCalls: [append, insert, search] },
      { text: "One." },
      { text: "Two." },
      { text: "Two, again." },
    ]);
    const agent = await passing.runtime.agents.open("ada", { ephemeral: true, model: "scripted" });
    const events = await drain(agent.send("I drink tea."));
    expect(callsOf(events)).toEqual([
      ["core_memory_append", "ok", expect.stringContaining("tea")],
      ["archival_memory_insert", "ok", expect.any(String)],
      ["archival_memory_search", "ok", expect.stringContaining("lighthouse")],
    ]);
    await drain(agent.send("And now?"));
    const [edit] = events.filter((event) => event.type === "memory-edit");
    expect(edit).toMatchObject({ before: "Name: Ada", after: "Name: Ada\nDrinks tea." });
    expect(agent.memory.read("human")).toBe("Name: Ada\nDrinks tea.");
    // The second turn's request has the edit, from the first turn on.
    expect(JSON.stringify(passing.model.requests[2])).toContain("Drinks tea.");
    // A retry reads core memory anew.
    await drain(agent.retry());
    expect(agent.memory.read("human")).toBe("Name: Ada\nDrinks tea.");
    // Others see nothing of it, even while it lasts.
    expect((await keeper.runtime.memory.show("ada")).map(({ value }) => value)).toEqual(
      before.modules.map(({ value }) => value),
    );
    await passing.runtime.close();
    expect(await stateOf(keeper.runtime, "ada")).toEqual(before);
  });

  it("keeps an edit for the module that was edited, not for another one with its label", async () => {
    const note = { name: "core_memory_append", arguments: { name: "notes", content: "Milk." } };
    const { runtime } = await open([{ toolCalls: [note] }, { text: "One." }, { text: "Two." }]);
    const [tea, coffee] = [
      await runtime.modules.create({ label: "notes", value: "Tea." }),
      await runtime.modules.create({ label: "notes", value: "Coffee." }),
    ];
    await runtime.agents.create({ name: "swapped", modules: [tea.id] });
    const agent = await runtime.agents.open("swapped", { ephemeral: true });
    await drain(agent.send("Save it."));
    expect(agent.memory.read("notes")).toBe("Tea.\nMilk.");
    await runtime.modules.detach("swapped", tea.id);
    await runtime.modules.attach("swapped", coffee.id);
    await drain(agent.send("And now?"));
    expect(agent.memory.read("notes")).toBe("Coffee.");
  });

  it("is in no search, list, export or backup while it lasts", async () => {
    const recall = { name: "conversation_search", arguments: { query: "cormorant" } };
    const { runtime, model } = await open([{ text: "Noted." }, { toolCalls: [recall] }, { text: "Found." }]);
    await runtime.agents.create({ name: "gus", human: "Name: Gus" });
    const before = await stateOf(runtime, "gus");
    const passing = await runtime.agents.open("gus", { ephemeral: true });
    await drain(passing.send("My password is cormorant."));
    expect(JSON.stringify(model.requests[0])).toContain("cormorant");

    expect(await stateOf(runtime, "gus")).toEqual(before);
    expect((await runtime.recall.search("gus", "cormorant")).hits).toEqual([]);
    await expect(runtime.conversations.messages(passing.conversationId)).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    const agentFile = await runtime.agents.export("gus");
    expect(JSON.stringify(agentFile)).not.toContain("cormorant");
    expect(await textOfBackup(runtime)).not.toContain("cormorant");
    const events = await drain((await runtime.agents.open("gus")).send("What was my password?"));
    const [found] = callsOf(events);
    expect(found).toEqual(["conversation_search", "ok", expect.not.stringContaining("password")]);
  });

  it("of a missing agent creates it in memory only", async () => {
    const { runtime } = await open([{ text: "Hello." }, { text: "Hello again." }]);
    const agents = [
      await runtime.agents.open("nobody", { ephemeral: true, create: { human: "Name: Una" } }),
      await runtime.agents.open("nobody", { ephemeral: true, create: {} }),
    ];
    expect(agents.map(({ record, memory }) => [record.name, memory.read("human")])).toEqual([
      ["nobody", "Name: Una"],
      ["nobody", ""],
    ]);
    for (const agent of agents) await drain(agent.send("Hi."));
    expect((await runtime.agents.list()).filter(({ name }) => name.startsWith("nobody"))).toEqual([]);
  });

  it("is ended by its program, also during a turn, and others go on", async () => {
    const replies = [{ text: "One." }, { text: "Never read.", delayMs: 60_000 }, { text: "Two." }];
    const { runtime } = await open(replies);
    await runtime.agents.create({ name: "hal", human: "" });
    const [ended, other] = [
      await runtime.agents.open("hal", { ephemeral: true }),
      await runtime.agents.open("hal", { ephemeral: true }),
    ];
    await drain(ended.send("Hi."));
    const running = drain(ended.send("A long story, please."));
    await ended.close();
    expect((await running).at(-1)).toMatchObject({ type: "turn-end", stopReason: "interrupted" });
    await expect(drain(ended.send("Still there?"))).rejects.toMatchObject({ code: "conversation_not_found" });
    await ended.close();
    expect(await drain(other.send("Hi."))).toContainEqual(expect.objectContaining({ type: "turn-end", text: "Two." }));
  });

  it("of an agent that was deleted meanwhile is closed without a failure", async () => {
    const { runtime } = await open([{ text: "Hello." }]);
    await runtime.agents.create({ name: "ivo", human: "" });
    const passing = await runtime.agents.open("ivo", { ephemeral: true });
    await drain(passing.send("Hi."));
    await runtime.agents.delete("ivo");
    await passing.close();
    await runtime.close();
  });

  it("counts toward the limit of the day while it lasts", async () => {
    const usage = { inputTokens: 900, outputTokens: 200, cachedInputTokens: 0 };
    const model = createScriptedModel({ replies: [{ text: "Hello.", usage }] });
    const runtime = await openRuntime({ model: "scripted", models: [model], userId: "jo", maxDailyTokens: 1000 });
    const passing = await runtime.agents.open("jo", { ephemeral: true, create: { human: "" } });
    await drain(passing.send("Hi."));
    await expect(drain(passing.send("And now?"))).rejects.toMatchObject({ code: "user_limit_reached" });
  });

  it("does not change the model of an existing agent", async () => {
    const { runtime } = await open([]);
    await runtime.agents.create({ name: "bob" });
    const other = createScriptedModel({ name: "other", replies: [{ text: "Hello from another." }] });
    const passing = await openRuntime({ model: "other", models: [other, createScriptedModel({ replies: [] })] });
    const agent = await passing.agents.open("bob", { ephemeral: true, model: "other" });
    await drain(agent.send("Hi."));
    expect(other.requests).toHaveLength(1);
    await passing.close();
    expect((await runtime.agents.find("bob")).model).toBe("scripted");
  });

  it("refuses an existing conversation, an unknown agent, and undo", async () => {
    const { runtime } = await open([]);
    const before = await runtime.user.usage();
    await expect(runtime.agents.open("cleo", { ephemeral: true, conversation: "last" })).rejects.toMatchObject({
      code: "input_invalid",
    });
    await expect(runtime.agents.open("cleo", { ephemeral: true })).rejects.toMatchObject({ code: "agent_not_found" });
    expect(await runtime.user.usage()).toEqual(before);
    await runtime.agents.create({ name: "dora", human: "Name: Dora" });
    await runtime.memory.set("dora", "human", "Name: Theodora");
    const agent = await runtime.agents.open("dora", { ephemeral: true });
    await expect(agent.undoEdit("human")).rejects.toMatchObject({ code: "undo_refused" });
    expect((await runtime.memory.show("dora")).map(({ value }) => value)).toContain("Name: Theodora");
  });

  it("stores nothing of -p --ephemeral, even if the turn fails", async () => {
    const { runtime } = await open([]);
    await runtime.agents.create({ name: "eve", human: "Name: Eve" });
    const before = await stateOf(runtime, "eve");
    const model = createScriptedModel({ replies: [{ toolCalls: [append, insert] }] });
    const run = await runInWorld(["-p", "I drink tea.", "-a", "eve", "--ephemeral", "--output-format", "json"], {
      openRuntime: () => openRuntime({ model: "scripted", models: [model] }),
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ subtype: "error_model", memory_edits: [{ label: "human" }] });
    expect(run.exitCode).toBe(1);
    expect(await stateOf(runtime, "eve")).toEqual(before);
  });

  it.each([["-c"], ["-r", "some-id"]])("cannot be combined with %s", async (...argv) => {
    const run = await runInWorld(["-p", "Hi", "--ephemeral", ...argv]);
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("--ephemeral starts a temporary conversation");
  });

  it("does not point to a call that was deleted", async () => {
    const model = createScriptedModel({ replies: [{ toolCalls: [append] }] });
    const run = await runInWorld(["-p", "I drink tea.", "-a", "fay", "--ephemeral", "--quiet"], {
      openRuntime: () => openRuntime({ model: "scripted", models: [model], approvals: ["core_memory_append"] }),
    });
    expect(run).toMatchObject({ exitCode: 5, stdout: "" });
    expect(run.stderr).toContain("cannot be given with --ephemeral");
  });
});
