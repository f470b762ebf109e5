// Moving back takes memory with it: what the tool calls of popped and retried messages changed goes with them, or nothing.
import type { Agent } from "../../src/agent/agent.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { DependentEditsError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Store, UserStore } from "../../src/store/port/store.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore } from "../support/database.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const replace = (old: string, content: string) => ({
  name: "core_memory_replace",
  arguments: { name: "human", old_content: old, new_content: content },
});
const insert = (content: string) => ({ name: "archival_memory_insert", arguments: { content } });

/** Which revisions take back which, newest first. */
const undoings = async (runtime: Runtime, name: string): Promise<readonly (number | null)[]> =>
  (await runtime.memory.revisions(name)).map(({ undoes }) => undoes);

const archived = async (runtime: Runtime, name: string): Promise<readonly string[]> =>
  (await runtime.archival.list(name)).map(({ text }) => text);

const texts = (agent: Agent): readonly string[] => agent.messages.map(({ text }) => text);

test("pop reverts the edits of the popped calls, newest first, as revisions that name what they revert", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [
    { toolCalls: [append("Name: Ada")] },
    { text: "Noted." },
    { toolCalls: [append("Sails"), append("Climbs"), insert("Ada won a regatta.")] },
    { text: "Noted as well." },
  ]);
  await drain(agent.send("I am Ada"));
  await drain(agent.send("I sail and climb"));
  const taken = await agent.pop(6);
  expect(taken.messages).toHaveLength(6);
  expect(taken.edits).toMatchObject([
    { label: "human", revision: 3, after: "Name: Ada\nSails\nClimbs" },
    { label: "human", revision: 2, after: "Name: Ada\nSails" },
  ]);
  expect(taken.passages).toMatchObject([{ text: "Ada won a regatta." }]);
  expect(agent.memory.read("human")).toBe("Name: Ada");
  expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "Name: Ada", revision: 5 });
  expect(await undoings(runtime, name)).toEqual([2, 3, null, null, null]);
  expect(await archived(runtime, name)).toEqual([]);
  expect((await runtime.memory.revisions(name))[0]).toMatchObject({
    origin: "user",
    conversationId: agent.conversationId,
  });
});

test("pop reverts an edit of a module that another process has relabelled since", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "Noted." }]);
  await drain(agent.send("I sail"));
  const { id } = (await runtime.memory.show(name)).find(({ label }) => label === "human")!;
  await runtime.modules.update(id, { label: "person" });
  expect((await agent.pop(3)).edits).toMatchObject([{ label: "person", after: "Sails" }]);
  expect(agent.memory.read("person")).toBe("");
});

test("the agent continues with the restored memory", async () => {
  const { agent, model } = await openScene(runtimes, [
    { toolCalls: [append("Likes tea")] },
    { text: "Noted." },
    { toolCalls: [append("Likes coffee")] },
    { text: "Noted." },
  ]);
  await drain(agent.send("I like tea"));
  await agent.pop(4 - 1);
  await drain(agent.send("I like coffee"));
  expect(agent.memory.read("human")).toBe("Likes coffee");
  expect(model.requests[2]?.system.memory).not.toContain("tea");
});

test("retry reverts the edits of the last answer, and reports them before the first step", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [
    { toolCalls: [append("Likes zebras"), insert("A zebra was seen.")] },
    { text: "a zebra" },
    { toolCalls: [append("Likes giraffes"), insert("A zebra was seen.")] },
    { text: "a giraffe" },
  ]);
  await drain(agent.send("Which animal?"));
  const events = await drain(agent.retry());
  expect(events.slice(0, 3)).toMatchObject([
    { type: "turn-start" },
    {
      type: "memory-revert",
      edits: [{ label: "human", revision: 1, before: "", after: "Likes zebras" }],
      passages: [{ text: "A zebra was seen." }],
    },
    { type: "step-start" },
  ]);
  expect(agent.memory.read("human")).toBe("Likes giraffes");
  expect(await undoings(runtime, name)).toEqual([null, 1, null]);
  expect(await archived(runtime, name)).toEqual(["A zebra was seen."]);
});

test("a retry without edits to revert reports nothing", async () => {
  const { agent } = await openScene(runtimes, [{ text: "a zebra" }, { text: "a giraffe" }]);
  await drain(agent.send("Which animal?"));
  expect((await drain(agent.retry())).map(({ type }) => type)).not.toContain("memory-revert");
});

describe("when a later edit depends on those to revert", () => {
  async function edited() {
    const scene = await openScene(runtimes, [
      { toolCalls: [append("Sails"), insert("Ada sails.")] },
      { text: "Noted." },
      { text: "again" },
    ]);
    await drain(scene.agent.send("I sail"));
    await scene.runtime.memory.set(scene.name, "human", "Sails and climbs");
    return scene;
  }

  test.each([
    ["pop", async (agent: Agent) => agent.pop(3)],
    ["retry", async (agent: Agent) => drain(agent.retry())],
  ])("%s refuses, names module and revisions, and changes nothing", async (_, goBack) => {
    const { agent, runtime, name } = await edited();
    const before = texts(agent);
    const refusal = goBack(agent);
    await expect(refusal).rejects.toThrow(DependentEditsError);
    await expect(refusal).rejects.toMatchObject({
      code: "dependent_edits",
      edits: [{ label: "human", revisions: [1], later: [2] }],
    });
    expect(texts(agent)).toEqual(before);
    expect((await runtime.agents.open(name)).messages).toHaveLength(before.length);
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "Sails and climbs", revision: 2 });
    expect(await archived(runtime, name)).toEqual(["Ada sails."]);
    expect((await runtime.recall.search(name, "Noted")).total).toBe(1);
  });

  test("keep removes messages and does not change memory", async () => {
    const { agent, runtime, name } = await edited();
    expect(await agent.pop(3, { memory: "keep" })).toMatchObject({ edits: [], passages: [] });
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "Sails and climbs", revision: 2 });
    expect(await archived(runtime, name)).toEqual(["Ada sails."]);
    expect(texts(agent)).toEqual(["I sail"]);
  });

  test("force reverts the later edit as well", async () => {
    const { agent, runtime, name } = await edited();
    const { edits } = await agent.pop(3, { memory: "force" });
    expect(edits.map(({ revision, origin }) => [revision, origin])).toEqual([
      [2, "user"],
      [1, "model"],
    ]);
    expect(await undoings(runtime, name)).toEqual([1, 2, null, null]);
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "" });
  });

  test("an edit of the line from another conversation prevents it as well, and an undone edit does not", async () => {
    const { agent, runtime, name } = await openScene(runtimes, [
      { toolCalls: [append("Sails")] },
      { text: "Noted." },
      { toolCalls: [replace("Sails", "Climbs")] },
      { text: "Noted." },
    ]);
    await drain(agent.send("I sail"));
    const other = await runtime.agents.open(name, { conversation: "new" });
    await drain(other.send("I climb"));
    await expect(agent.pop(3)).rejects.toMatchObject({ code: "dependent_edits" });
    await runtime.memory.undo(name, "human");
    expect((await agent.pop(3)).edits).toMatchObject([{ revision: 1 }]);
    expect(agent.memory.read("human")).toBe("");
  });
});

test("a later edit of other lines stays, and its lines keep their place and class", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [
    { toolCalls: [append("Sails")] },
    { text: "Noted." },
    { toolCalls: [append("Climbs")] },
    { text: "Noted." },
  ]);
  await drain(agent.send("I sail"));
  const other = await runtime.agents.open(name, { conversation: "new" });
  await drain(other.send("I climb"));
  expect((await agent.pop(3)).edits).toMatchObject([{ revision: 1 }]);
  expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "Climbs", revision: 3, trust: "user" });
  expect(await runtime.memory.undo(name, "human")).toMatchObject({ revision: 2 });
  expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "" });
});

test("an edit that is made during planning is detected: the pop is refused instead of losing it", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "Noted." }]);
  await drain(agent.send("I sail"));
  const outcomes = await Promise.allSettled([agent.pop(3), runtime.memory.set(name, "human", "Theirs")]);
  const value = (await runtime.memory.show(name))[1]?.value;
  // Either order is right; what is never right is that their text is gone.
  expect(value).toBe(outcomes[1].status === "fulfilled" ? "Theirs" : "");
});

describe("when another user edits the same module between the plan and the move", () => {
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  /** A conversation with one edit, in a runtime whose store edits first, the first `times` that the leaf is to be moved. */
  async function overtaken(times: number) {
    const test = await openTestStore();
    let left = times;
    const overtaking = (user: UserStore): UserStore => ({
      ...user,
      conversations: {
        ...user.conversations,
        async moveLeaf(lease, move) {
          if (left-- > 0) {
            const { agentId } = (await user.conversations.find(lease.conversationId))!;
            const { label, scope, revision, value: before } = (await user.modules.list(agentId))[1]!;
            const change = { label, scope, revision, before, after: `theirs ${revision}` };
            await user.modules.change(agentId, [change], { origin: "api" });
          }
          return user.conversations.moveLeaf(lease, move);
        },
      },
    });
    const store: Store = { ...test.store, as: (userId) => overtaking(test.store.as(userId)) };
    const model = createScriptedModel({ replies: [{ toolCalls: [append("Sails")] }, { text: "Noted." }] });
    const runtime = await composeRuntime({ model: "scripted", models: [model], embedder: null }, { store });
    const agent = await runtime.agents.open("scout", { create: {} });
    await drain(agent.send("I sail"));
    opened.push(runtime, test);
    return { agent, runtime };
  }

  test("a later edit of another user is kept, and the pop is refused", async () => {
    const { agent, runtime } = await overtaken(1);
    await expect(agent.pop(3)).rejects.toMatchObject({
      code: "dependent_edits",
      edits: [{ revisions: [1], later: [2] }],
    });
    expect((await runtime.memory.show("scout"))[1]).toMatchObject({ value: "theirs 1", revision: 2 });
    expect(agent.messages).toHaveLength(4);
  });

  test("forced, it is planned again, and their edit is reverted as well", async () => {
    const { agent, runtime } = await overtaken(2);
    const { edits } = await agent.pop(3, { memory: "force" });
    expect(edits.map(({ revision }) => revision)).toEqual([3, 2, 1]);
    expect((await runtime.memory.show("scout"))[1]).toMatchObject({ value: "" });
  });

  test("when the edits never stop it fails, with nothing moved", async () => {
    const { agent } = await overtaken(1000);
    await expect(agent.pop(3, { memory: "force" })).rejects.toMatchObject({ code: "agent_busy" });
    expect(agent.messages).toHaveLength(4);
  });
});

test("a passage that another call has added too stays", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [
    { toolCalls: [insert("The boat is called Iris."), insert("She is red.")] },
    { text: "Noted." },
  ]);
  await drain(agent.send("My boat"));
  expect(await runtime.archival.add(name, "She is red.")).toMatchObject({ isNew: false });
  const { passages } = await agent.pop(4);
  expect(passages.map(({ text }) => text)).toEqual(["The boat is called Iris."]);
  expect(await archived(runtime, name)).toEqual(["She is red."]);
});

test("a call is removed together with its results, and is not run again", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [
    { toolCalls: [append("Sails"), append("Climbs")] },
    { text: "Noted." },
    { text: "fine" },
  ]);
  await drain(agent.send("I sail"));
  const taken = await agent.pop(2);
  expect(taken.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "tool", "assistant"]);
  expect(await lastOf(agent.send("go on"))).toMatchObject({ stopReason: "end-turn", text: "fine" });
  expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "" });
});

test("an edit that was undone by hand is not undone twice", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "Noted." }]);
  await drain(agent.send("I sail"));
  await agent.undoEdit();
  expect((await agent.pop(3)).edits).toEqual([]);
  expect(await undoings(runtime, name)).toEqual([1, null]);
});

describe("undo of a named revision", () => {
  test("leaves later edits of other lines, and is refused if its lines exceed the limit", async () => {
    const { runtime, name } = await openScene(runtimes, []);
    const long = "x".repeat(3000);
    for (const text of [`A\n${long}`, "A", "A\nB", `A\nB\n${"y".repeat(2000)}`])
      await runtime.memory.set(name, "human", text);
    const refusal = runtime.memory.undo(name, "human", { revision: 2 });
    await expect(refusal).rejects.toMatchObject({ code: "undo_refused" });
    await expect(refusal).rejects.toThrow('"human" would have 5005 characters, and its limit is 4000');
    await runtime.memory.undo(name, "human");
    expect(await runtime.memory.undo(name, "human", { revision: 2 })).toMatchObject({ revision: 2, later: [] });
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: `A\n${long}\nB`, revision: 6 });
  });

  async function threeEdits() {
    const scene = await openScene(runtimes, []);
    for (const text of ["one", "two", "three"]) await scene.runtime.memory.set(scene.name, "human", text);
    return scene;
  }

  test("is refused if later edits depend on it, and the error names them", async () => {
    const { runtime, name } = await threeEdits();
    await expect(runtime.memory.undo(name, "human", { revision: 1 })).rejects.toMatchObject({
      code: "dependent_edits",
      edits: [{ label: "human", revisions: [1], later: [2, 3] }],
      message: expect.stringContaining("revisions 2, 3"),
    });
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "three", revision: 3 });
  });

  test("reverts the later ones with it when forced, and the last one without force", async () => {
    const { runtime, name } = await threeEdits();
    expect(await runtime.memory.undo(name, "human", { revision: 3 })).toMatchObject({ revision: 3, later: [] });
    expect(await runtime.memory.undo(name, "human", { revision: 1, force: true })).toMatchObject({
      revision: 1,
      later: [{ revision: 2 }],
    });
    expect((await runtime.memory.show(name))[1]).toMatchObject({ value: "" });
    expect(await undoings(runtime, name)).toEqual([1, 2, 3, null, null, null]);
  });

  test.each([
    ["no such revision", { label: "human", revision: 9 }, { code: "revision_not_found", says: "no revision 9" }],
    ["taken back already", { label: "human", revision: 3 }, { code: "undo_refused", says: "is already reverted" }],
    ["one that reverts another", { label: "human", revision: 4 }, { code: "undo_refused", says: "reverts revision 3" }],
    [
      "no number of a revision",
      { label: "human", revision: 1.5 },
      { code: "input_invalid", says: "got the number 1.5" },
    ],
    ["no module", { label: undefined, revision: 1 }, { code: "input_invalid", says: "got no module and 1" }],
    ["no such module", { label: "nobody", revision: 1 }, { code: "module_not_found", says: "persona, human" }],
  ])("is refused for %s", async (_, { label, revision }, { code, says }) => {
    const { runtime, name } = await threeEdits();
    await runtime.memory.undo(name, "human");
    const refusal = runtime.memory.undo(name, label, { revision });
    await expect(refusal).rejects.toMatchObject({ code });
    await expect(refusal).rejects.toThrow(says);
    expect((await runtime.memory.show(name))[1]).toMatchObject({ revision: 4 });
  });
});
