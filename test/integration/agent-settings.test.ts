// Settings of an agent that exists: changed by the rules by which it was made, and complete although it is older than some.
import { defaultTiers } from "../../src/store/port/context-report.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";
import type { Store } from "../../src/store/port/store.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore, useStore } from "../support/database.ts";
import { fakeSettings } from "../support/fake-settings.ts";
import { useRuntimes } from "../support/runtime.ts";
import { newAgent } from "../support/store-builders.ts";

const runtimes = useRuntimes();
const { test: opened } = useStore();

const runtimeOf = async (userId = "local") => runtimes.open({ model: "demo", userId });

const tiersWith = (tier: keyof AgentSettings["tiers"], priority: unknown) => ({
  ...defaultTiers,
  [tier]: { ...defaultTiers[tier], priority },
});

test("are changed one by one, and apply from the next opening on", async () => {
  const runtime = await runtimeOf();
  const { settings } = await runtime.agents.create({ name: "one" });
  const changed = await runtime.agents.update("one", { compaction: "ring", compactMessages: 40 });
  expect(changed.settings).toEqual({ ...settings, compaction: "ring", compactMessages: 40 });
  expect((await runtime.agents.open("one")).record.settings).toEqual(changed.settings);
  expect((await runtime.agents.find("one")).settings).toEqual(changed.settings);
});

test("the time zone and the weights of the archive's searches are those of the next opening", async () => {
  const runtime = await runtimeOf();
  // No moment has the same date in both zones.
  const [east, west] = ["Pacific/Kiritimati", "Pacific/Niue"];
  const name = "moving";
  await runtime.agents.create({ name, settings: { timeZone: east } });
  await runtime.archival.import(name, [{ text: "Ada sails" }]);
  const [{ at } = { at: new Date(0) }] = await runtime.archival.list(name);
  const day = new Intl.DateTimeFormat("sv", { timeZone: east }).format(at);
  const found = async () => (await runtime.archival.search(name, "sails", { startDate: day, endDate: day })).hits;
  const [before] = await found();
  expect(before).toMatchObject({ text: "Ada sails" });
  const { searchWeights } = (await runtime.agents.find(name)).settings;
  await runtime.agents.update(name, { searchWeights: { ...searchWeights, importance: 1 } });
  await runtime.agents.open(name);
  const [weighted] = await found();
  expect(weighted!.explanation.score).not.toBe(before!.explanation.score);
  await runtime.agents.update(name, { timeZone: west });
  await runtime.agents.open(name);
  expect(await found()).toEqual([]);
});

test("tools that wait for approval may be written as one text, as in a flag", async () => {
  const runtime = await runtimeOf();
  await runtime.agents.create({ name: "asked" });
  const approvals = "core_memory_replace, archival_memory_insert" as never;
  const { settings } = await runtime.agents.update("asked", { approvals });
  expect(settings.approvals).toEqual(["core_memory_replace", "archival_memory_insert"]);
  const wrong = runtime.agents.update("asked", { approvals: "pay,," as never });
  await expect(wrong).rejects.toThrow(
    'approvals: expected names of tools, such as core_memory_replace,archival_memory_insert, got "pay,,".',
  );
});

test.each<[string, Record<string, unknown>, readonly string[]]>([
  [
    "an unknown one",
    { compactions: "ring" },
    ['Unknown setting of an agent: "compactions"', 'Did you mean "compaction"?'],
  ],
  ["one of a configuration that is no agent's", { dataDir: "/x" }, ['Unknown setting of an agent: "dataDir"']],
  ["a wrong value", { compaction: "rings" }, ["compaction: expected", '"rings"']],
  ["a text for a number", { keepLast: "5" }, ["keepLast: expected a whole number", '"5"']],
  ["a value that contradicts another", { warnAt: 0.95 }, ["warnAt", "compactAt (0.9)"]],
  ["a limit under what is kept", { compactMessages: 5 }, ["compactMessages", "keepLast (10)"]],
  ["a zone that is none", { timeZone: "Mars/Olympus" }, ["timeZone", "IANA"]],
  ["a summarizer that nobody knows", { summarizer: "nobody" }, ['got "nobody"']],
  [
    "a priority that is no number",
    { tiers: tiersWith("working", "high") },
    ["tiers: expected", 'got "high" at "working.priority"'],
  ],
  ["a priority under 1", { tiers: tiersWith("archive", 0) }, ["tiers: expected", 'got 0 at "archive.priority"']],
  [
    "a priority of the system tier",
    { tiers: tiersWith("system", 1) },
    ["tiers: expected", 'got 1 at "system.priority"'],
  ],
  ["a list that is none", { removedTools: "pay" }, ["removedTools: expected a list"]],
  ["a name as of a prototype's", { constructor: 1 }, ['Unknown setting of an agent: "constructor"']],
])("%s is refused, here and at creation, with nothing written", async (name, change, told) => {
  const runtime = await runtimeOf();
  const { settings } = await runtime.agents.create({ name });
  const settingsOf = change as Partial<AgentSettings>;
  for (const attempt of [
    runtime.agents.update(name, settingsOf),
    runtime.agents.create({ name: `${name} new`, settings: settingsOf }),
  ]) {
    const error = await attempt.then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: "config_invalid" });
    for (const words of told) expect(error?.message).toContain(words);
  }
  expect((await runtime.agents.find(name)).settings).toEqual(settings);
  await expect(runtime.agents.find(`${name} new`)).rejects.toMatchObject({ code: "agent_not_found" });
});

describe("when another process changes other settings between the read and the write", () => {
  /** An agent, and a runtime that reads it, after which `overtake` is called once. */
  async function overtaken(overtake: (other: Runtime) => Promise<unknown>) {
    const own = await openTestStore();
    const models = ["one", "two"].map((name) => createScriptedModel({ name, replies: [] }));
    const runtimeOn = (store: Store) => composeRuntime({ model: "one", models, embedder: null }, { store });
    const user = own.store.as("local");
    const other = await runtimeOn(own.store);
    const { settings } = await other.agents.create({ name: "main", persona: "", human: "" });
    let isOvertaken = false;
    const find: typeof user.agents.find = async (name) => {
      const found = await user.agents.find(name);
      if (!isOvertaken) {
        isOvertaken = true;
        await overtake(other);
      }
      return found;
    };
    const store: Store = { ...own.store, as: () => ({ ...user, agents: { ...user.agents, find } }) };
    const runtime = await runtimeOn(store);
    const close = async (): Promise<void> => {
      for (const one of [runtime, other, own]) await one.close();
    };
    return { runtime, settings, stored: () => other.agents.find("main"), close };
  }

  test("both changes are kept", async () => {
    const { runtime, settings, stored, close } = await overtaken((other) =>
      other.agents.update("main", { keepLast: 7, addedTools: ["memory_insert"] }),
    );
    const changed = await runtime.agents.update("main", { maxSteps: 9 });
    expect(changed.settings).toEqual({ ...settings, keepLast: 7, addedTools: ["memory_insert"], maxSteps: 9 });
    expect(await stored()).toEqual(changed);
    await close();
  });

  test("a change of the model keeps them", async () => {
    const { runtime, stored, close } = await overtaken((other) => other.agents.update("main", { keepLast: 7 }));
    const changed = await runtime.agents.setModel("main", "two");
    expect(changed).toMatchObject({ model: "two", settings: { keepLast: 7 } });
    expect(await stored()).toEqual(changed);
    await close();
  });

  test("a change that contradicts them is refused", async () => {
    const { runtime, stored, close } = await overtaken((other) => other.agents.update("main", { compactAt: 0.8 }));
    const refused = runtime.agents.update("main", { warnAt: 0.85 });
    await expect(refused).rejects.toMatchObject({ code: "config_invalid" });
    expect((await stored()).settings).toMatchObject({ compactAt: 0.8, warnAt: 0.75 });
    await close();
  });
});

test("can be changed only by the owner", async () => {
  const runtime = await runtimeOf();
  await runtime.agents.create({ name: "shared" });
  await runtime.agents.share("shared", "ben");
  const bens = await runtimeOf("ben");
  const { name } = await bens.agents.accept("local/shared");
  await expect(bens.agents.update(name, { keepLast: 3 })).rejects.toMatchObject({ code: "agent_not_found" });
  expect((await runtime.agents.find("shared")).settings.keepLast).toBe(10);
});

test("a program's own model can summarize", async () => {
  const own = createScriptedModel({ name: "own", replies: [] });
  const runtime = await runtimes.open({ model: "demo", models: [own] });
  await runtime.agents.create({ name: "with-own", settings: { summarizer: "own" } });
  expect((await runtime.agents.update("with-own", { keepLast: 3 })).settings.summarizer).toBe("own");
});

test("an agent from before a setting has its default", async () => {
  const user = opened.store.as("ada");
  const { id } = await user.agents.create(newAgent());
  const later = ["compaction", "compactMessages", "ringBatch", "ringEntries", "summarizer"];
  await opened.ownerRows(
    `update agents set settings = settings - '{${later.join(",")}}'::text[] where id = '${id}' returning id`,
  );
  const { settings } = (await user.agents.find(id))!;
  const { compaction, compactMessages, ringBatch, ringEntries, summarizer } = fakeSettings;
  expect(settings).toMatchObject({ compaction, compactMessages, ringBatch, ringEntries, summarizer });
});
