// What describes an agent, lists of agents and conversations with cursors, and changes that need no open agent.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

let users = 0;

/** A runtime of a new user. */
function open(userId = `user-${(users += 1)}`): Promise<Runtime> {
  const models = [createScriptedModel({ replies: [] }), createScriptedModel({ name: "other", replies: [] })];
  return runtimes.open({ userId, model: "scripted", models });
}

const odd = "a \u0000 null, 'quotes' and ?|";
const stored = "a \uFFFD null, 'quotes' and ?|";

async function withAgents(names: readonly string[]): Promise<Runtime> {
  const runtime = await open();
  for (const name of names) await runtime.agents.create({ name });
  return runtime;
}

const namesOf = (agents: readonly { readonly name: string }[]) => agents.map(({ name }) => name);

describe("an agent's details", () => {
  test("are empty by default", async () => {
    const runtime = await open();
    const empty = { description: null, tags: [], metadata: {}, extensions: {} };
    expect(await runtime.agents.create({ name: "main" })).toMatchObject(empty);
    expect(await runtime.agents.find("main")).toMatchObject(empty);
  });

  test("are stored as given, with each tag once", async () => {
    const runtime = await open();
    const details = {
      description: odd,
      tags: [odd, "b", "b"],
      metadata: { [odd]: [1] },
      extensions: { door: { odd } },
    };
    const created = await runtime.agents.create({ name: "main", ...details });
    expect(created).toMatchObject({ description: stored, tags: [stored, "b"], metadata: { [stored]: [1] } });
    expect(created.extensions).toEqual({ door: { odd: stored } });
    const agent = await runtime.agents.open("main", { withoutCalls: true });
    expect([await runtime.agents.find(created.id), agent.record]).toEqual([created, created]);
  });

  test("are changed one by one, and extensions by name", async () => {
    const runtime = await open();
    await runtime.agents.create({
      name: "main",
      description: "old",
      tags: ["a"],
      extensions: { one: 1, two: 2, no: null },
    });
    const changed = await runtime.agents.setDetails("main", {
      name: "new",
      extensions: { two: null, three: { x: 1 } },
    });
    expect(changed).toMatchObject({ name: "new", description: "old", tags: ["a"], metadata: {} });
    expect(changed.extensions).toEqual({ one: 1, three: { x: 1 } });
    expect(await runtime.agents.setDetails("new", { description: null, tags: [] })).toMatchObject({
      description: null,
      tags: [],
    });
    await expect(runtime.agents.find("main")).rejects.toMatchObject({ code: "agent_not_found" });
  });

  test.each([
    [{ tags: [" "] }, "input_invalid", "tags[0]"],
    [{ tags: Array.from({ length: 101 }, (_, at) => `${at}`) }, "input_invalid", "tags"],
    [{ description: "x".repeat(10_001) }, "input_invalid", "description"],
    [{ metadata: { text: "x".repeat(100_000) } }, "input_invalid", "metadata"],
    [{ extensions: { text: "x".repeat(100_000) } }, "input_invalid", "extensions"],
  ])("that are invalid change nothing: %#", async (details, code, field) => {
    const runtime = await withAgents(["main"]);
    const before = await runtime.agents.find("main");
    await expect(runtime.agents.setDetails("main", { name: "new", ...details })).rejects.toMatchObject({ code, field });
    await expect(runtime.agents.create({ name: "second", ...details })).rejects.toMatchObject({ code, field });
    expect(await runtime.agents.list()).toEqual([before]);
  });

  test("cannot take a name in use, or an invalid one", async () => {
    const runtime = await withAgents(["main", "second"]);
    await expect(runtime.agents.setDetails("main", { name: "second" })).rejects.toMatchObject({ code: "agent_exists" });
    await expect(runtime.agents.setDetails("main", { name: "a/b" })).rejects.toMatchObject({ code: "config_invalid" });
  });

  test("of a shared agent are seen by both users and changed by the owner", async () => {
    const [ada, ben] = [await open(), await open()];
    await ada.agents.create({ name: "shared", tags: ["seen"] });
    await ada.agents.share("shared", ben.userId);
    const { name, tags } = await ben.agents.accept(`${ada.userId}/shared`);
    expect([tags, await ben.agents.tags()]).toEqual([["seen"], ["seen"]]);
    await expect(ben.agents.setDetails(name, { tags: [] })).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(ben.agents.setModel(name, "other")).rejects.toMatchObject({ code: "agent_not_found" });
  });
});

describe("an agent's id", () => {
  const id = "01906464-cd77-4b2d-b317-df5d353bb3ab";

  test("can be given once per user", async () => {
    const runtime = await open();
    expect((await runtime.agents.create({ name: "main", id })).id).toBe(id);
    await expect(runtime.agents.create({ name: "second", id })).rejects.toMatchObject({ code: "agent_exists" });
    expect(await runtime.agents.count()).toBe(1);
    expect((await (await open()).agents.create({ name: "main", id })).id).toBe(id);
  });

  test("is a UUID", async () => {
    const made = (await open()).agents.create({ name: "main", id: "agent-1" });
    await expect(made).rejects.toMatchObject({ code: "input_invalid", field: "id" });
  });

  test("cannot be that of an agent that another user shares", async () => {
    const [ada, ben] = [await open(), await open()];
    const shared = await ada.agents.create({ name: "shared" });
    await ada.agents.share("shared", ben.userId);
    await expect(ben.agents.create({ name: "own", id: shared.id })).rejects.toMatchObject({ code: "agent_exists" });
    await ben.agents.accept(`${ada.userId}/shared`);
    await expect(ben.agents.create({ name: "own", id: shared.id })).rejects.toMatchObject({ code: "agent_exists" });
  });
});

test("setModel changes the model without opening the agent", async () => {
  const runtime = await withAgents(["main"]);
  expect(await runtime.agents.setModel("main", "other")).toMatchObject({ model: "other" });
  expect(await runtime.agents.find("main")).toMatchObject({ model: "other" });
  await expect(runtime.agents.setModel("main", "nothing/x")).rejects.toMatchObject({ code: "config_invalid" });
  expect(await runtime.agents.find("main")).toMatchObject({ model: "other" });
});

test("setDetails changes the model with the details, or nothing", async () => {
  const runtime = await withAgents(["main", "second"]);
  const before = await runtime.agents.find("main");
  const refused = runtime.agents.setDetails("main", { model: "other", name: "second" });
  await expect(refused).rejects.toMatchObject({ code: "agent_exists" });
  const unknown = runtime.agents.setDetails("main", { model: "nothing/x", name: "new" });
  await expect(unknown).rejects.toMatchObject({ code: "config_invalid" });
  expect(await runtime.agents.find("main")).toEqual(before);
  const changed = await runtime.agents.setDetails("main", { model: "other", name: "new", description: "Sails." });
  expect(changed).toMatchObject({ model: "other", name: "new", description: "Sails.", settings: before.settings });
  expect(await runtime.agents.find("new")).toEqual(changed);
});

describe("a list of agents", () => {
  test("goes on behind and ahead of an agent, in both orders", async () => {
    const runtime = await withAgents(["a", "b", "c", "d"]);
    const list = async (options: object) => namesOf(await runtime.agents.list(options));
    const [b, c] = [(await runtime.agents.find("b")).id, (await runtime.agents.find("c")).id];
    expect(await list({})).toEqual(["a", "b", "c", "d"]);
    expect(await list({ order: "newest", limit: 2 })).toEqual(["d", "c"]);
    expect(await list({ order: "newest", after: c })).toEqual(["b", "a"]);
    expect(await list({ order: "newest", before: b, limit: 1 })).toEqual(["c"]);
    expect(await list({ after: b, limit: 1 })).toEqual(["c"]);
    expect(await list({ before: c, limit: 1 })).toEqual(["b"]);
    expect(await list({ after: "nothing" })).toEqual([]);
    await expect(list({ limit: 0 })).rejects.toMatchObject({ code: "input_invalid" });
    expect(await runtime.agents.count()).toBe(4);
  });

  test("has the agents with a name, a text, a tag or all tags", async () => {
    const runtime = await open();
    await runtime.agents.create({ name: "Scout", tags: ["a", "b"] });
    await runtime.agents.create({ name: "clerk", description: "Files what the SCOUT finds", tags: ["a"] });
    const list = async (options: object) => namesOf(await runtime.agents.list(options));
    expect(await list({ name: "Scout" })).toEqual(["Scout"]);
    expect(await list({ name: `${runtime.userId}/Scout` })).toEqual(["Scout"]);
    expect(await list({ name: "scout" })).toEqual([]);
    expect(await list({ text: "scout" })).toEqual(["Scout", "clerk"]);
    expect(await list({ text: "100%" })).toEqual([]);
    expect(await list({ tags: ["b", "c"] })).toEqual(["Scout"]);
    expect(await list({ tags: ["a", "b"], matchAllTags: true })).toEqual(["Scout"]);
    expect(await list({ tags: ["b", "c"], matchAllTags: true })).toEqual([]);
    expect(await runtime.agents.tags()).toEqual(["a", "b"]);
  });

  test("has the user's own agents first in both orders", async () => {
    const [ada, ben] = [await open(), await open()];
    await ada.agents.create({ name: "shared" });
    await ada.agents.share("shared", ben.userId);
    await ben.agents.create({ name: "own" });
    const { id } = await ben.agents.accept(`${ada.userId}/shared`);
    const all = ["own", `${ada.userId}/shared`];
    expect(namesOf(await ben.agents.list())).toEqual(all);
    expect(namesOf(await ben.agents.list({ order: "newest" }))).toEqual(all);
    expect(namesOf(await ben.agents.list({ before: id }))).toEqual(["own"]);
    expect(namesOf(await ben.agents.list({ name: all[1]! }))).toEqual([all[1]]);
  });
});

describe("conversations", () => {
  test("are created without opening the agent, with a given id and title", async () => {
    const runtime = await withAgents(["main"]);
    const id = "01906464-cd77-4b2d-b317-df5d353bb3ac";
    const made = await runtime.conversations.create("main", { id, title: "Boats" });
    expect(made).toMatchObject({ id, title: "Boats", leafId: null });
    expect(await runtime.conversations.find(id)).toEqual(made);
    await expect(runtime.conversations.create("main", { id })).rejects.toMatchObject({
      code: "input_invalid",
      field: "id",
    });
    await expect(runtime.conversations.find("nothing")).rejects.toMatchObject({ code: "conversation_not_found" });
    const agent = await runtime.agents.open("main", { conversation: { id } });
    expect((await drain(agent.send("Hello"))).at(-1)).toMatchObject({ type: "turn-end" });
  });

  test("are listed with cursors, of one agent or of all", async () => {
    const runtime = await withAgents(["one", "two"]);
    const ids: string[] = [];
    for (const name of ["one", "two", "one"]) ids.push((await runtime.conversations.create(name)).id);
    const list = async (agent: string | null, options: object = {}) =>
      (await runtime.conversations.list(agent, options)).map(({ id }) => ids.indexOf(id));
    expect(await list("one")).toEqual([2, 0]);
    expect(await list(null)).toEqual([2, 1, 0]);
    expect(await list(null, { order: "oldest", limit: 2 })).toEqual([0, 1]);
    expect(await list(null, { after: ids[2]! })).toEqual([1, 0]);
    expect(await list(null, { before: ids[0]!, limit: 1 })).toEqual([1]);
    await expect(list(null, { limit: 1001 })).rejects.toMatchObject({ code: "input_invalid" });
  });
});
