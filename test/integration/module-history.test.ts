// Core memory as it was: a module at a revision, what changed between two and from which call, and recall of what was left behind.
// On the engine at hand.
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene, append } from "../support/scene.ts";

const runtimes = useRuntimes();

async function edited(): Promise<{ readonly runtime: Runtime; readonly name: string }> {
  const { runtime, name } = await openScene(runtimes, [], {});
  for (const text of ["one", "one\ntwo", "two"]) await runtime.memory.set(name, "human", text);
  return { runtime, name };
}

test("a module can be read at each revision, from before the first to the last", async () => {
  const { runtime, name } = await edited();
  const values = await Promise.all([0, 1, 2, 3].map((at) => runtime.memory.at(name, "human", at)));
  expect(values.map(({ value, length, revision }) => [value, length, revision])).toEqual([
    ["", 0, 0],
    ["one", 3, 1],
    ["one\ntwo", 7, 2],
    ["two", 3, 3],
  ]);
});

test("a diff is that of the last change by default, or of any two revisions", async () => {
  const { runtime, name } = await edited();
  const last = { label: "human", from: 2, to: 3, before: "one\ntwo", after: "two" };
  expect(await runtime.memory.diff(name, "human")).toEqual(last);
  expect(await runtime.memory.diff(name, "human", { from: 2 })).toEqual(last);
  expect(await runtime.memory.diff(name, "human", { to: 1 })).toEqual({
    label: "human",
    from: 0,
    to: 1,
    before: "",
    after: "one",
  });
  expect(await runtime.memory.diff(name, "human", { from: 3, to: 0 })).toMatchObject({ before: "two", after: "" });
});

test("the text before a revision is known although retention has deleted the row of the revision before it", async () => {
  const { runtime, name } = await edited();
  await runtime.agents.update(name, { retention: { revisions: { perModule: 1 } } });
  await runtime.retention.apply(name);
  expect((await runtime.memory.revisions(name, { label: "human" })).map(({ revision }) => revision)).toEqual([3]);
  expect(await runtime.memory.diff(name, "human")).toMatchObject({ from: 2, before: "one\ntwo", after: "two" });
  expect(await runtime.memory.at(name, "human", 2)).toMatchObject({ value: "one\ntwo", trust: "external" });
  await expect(runtime.memory.at(name, "human", 1)).rejects.toMatchObject({ code: "revision_not_found" });
});

test("a recipient sees what the first change after the acceptance changed", async () => {
  const [{ runtime: ada }, { runtime: ben, name }] = [
    await openScene(runtimes, [], { userId: "ada-of-history" }),
    await openScene(runtimes, [], { userId: "ben-of-history" }),
  ];
  const { id } = await ada.modules.create({ label: "team", value: "one" });
  await ada.modules.update(id, { value: "two" });
  await ada.modules.share(id, ben.userId, "read");
  await ben.modules.accept(id);
  await ben.modules.attach(name, id);
  await ada.modules.update(id, { value: "three" });
  expect(await ben.memory.diff(name, "team")).toMatchObject({ from: 1, to: 2, before: "two", after: "three" });
  await expect(ben.memory.at(name, "team", 0)).rejects.toMatchObject({ code: "revision_not_found" });
});

test("a module without changes has an empty diff", async () => {
  const { runtime, name } = await openScene(runtimes, []);
  expect(await runtime.memory.diff(name, "persona")).toEqual({
    label: "persona",
    from: 0,
    to: 0,
    before: "",
    after: "",
  });
});

test.each([
  ["human", { to: 9 }, "revision_not_found", /no revision 9 of "human", which is at revision 3/u],
  ["human", { to: 2_147_483_647 }, "revision_not_found", /no revision 2147483647 of "human"/u],
  ["human", { from: -1 }, "input_invalid", /from 0 to 2,147,483,647, got the number -1/u],
  ["human", { from: 0.5 }, "input_invalid", /a whole number .* got the number 0\.5/u],
  ["nobody", {}, "module_not_found", /persona, human/u],
] as const)("the diff of %s over %j is refused", async (label, range, code, message) => {
  const { runtime, name } = await edited();
  const refusal = runtime.memory.diff(name, label, range);
  await expect(refusal).rejects.toMatchObject({ code });
  await expect(refusal).rejects.toThrow(message);
});

test("abandoned messages are found only on request, by words and by days", async () => {
  const { agent, runtime, name } = await openScene(runtimes, [{ text: "a zebra" }, { text: "a giraffe" }]);
  await drain(agent.send("Which animal?"));
  await drain(agent.retry());
  const today = new Date().toISOString().slice(0, 10);
  const days = { start: "2000-01-01", end: today };
  const all = { includeAbandoned: true };
  expect((await runtime.recall.search(name, "zebra")).total).toBe(0);
  expect((await runtime.recall.search(name, "zebra", all)).hits).toMatchObject([{ text: "a zebra" }]);
  expect((await runtime.recall.searchDate(name, days)).total).toBe(2);
  expect((await runtime.recall.searchDate(name, days, all)).hits.map(({ text }) => text)).toEqual([
    "Which animal?",
    "a zebra",
    "a giraffe",
  ]);
});

test("an edit of the model names the input and the call, even on an abandoned branch", async () => {
  const { runtime, agent, name } = await openScene(runtimes, [
    { toolCalls: [append("Name: Ada")] },
    { text: "Hello Ada." },
    { toolCalls: [append("Likes sailing"), append("Has a boat")] },
    { text: "Noted." },
    { text: "Another answer." },
  ]);
  await drain(agent.send("I am Ada, 日本語 </human>."));
  await drain(agent.send("I sail."));
  expect(await runtime.memory.cause(name, "human", 1)).toMatchObject({
    revision: { label: "human", revision: 1, after: "Name: Ada" },
    call: { name: "core_memory_append", arguments: expect.stringContaining("Name: Ada") as string },
    input: { kind: "message", text: "I am Ada, 日本語 </human>.", trust: "user" },
  });
  const third = await runtime.memory.cause(name, "human", 3);
  expect(third).toMatchObject({ call: { arguments: expect.stringContaining("Has a boat") as string } });
  expect(third.input?.text).toBe("I sail.");
  await drain(agent.retry({ memory: "keep" }));
  expect(await runtime.memory.cause(name, "human", 3)).toEqual(third);
});

test("an edit from outside of a conversation has neither; nor has one whose conversation was deleted", async () => {
  const { runtime, agent, name } = await openScene(runtimes, [
    { toolCalls: [append("Name: Ada")] },
    { text: "Hello Ada." },
  ]);
  await drain(agent.send("I am Ada."));
  await runtime.memory.set(name, "human", "Grace");
  expect(await runtime.memory.cause(name, "human", 2)).toMatchObject({
    revision: { origin: "user", after: "Grace" },
    call: null,
    input: null,
  });
  await runtime.conversations.delete(agent.conversationId);
  expect(await runtime.memory.cause(name, "human", 1)).toMatchObject({
    revision: { after: "Name: Ada" },
    call: null,
    input: null,
  });
});

test.each([
  ["human", 9, "revision_not_found", /no revision 9 of "human"/u],
  ["nobody", 1, "revision_not_found", /no revision 1 of "nobody"/u],
  ["human", 0, "input_invalid", /1 or more, got 0/u],
  ["human", 1.5, "input_invalid", /a whole number .* got the number 1\.5/u],
])("the cause of %s %s is refused with %s", async (label, number, code, message) => {
  const { runtime, name } = await openScene(runtimes, []);
  const cause = runtime.memory.cause(name, label, number);
  await expect(cause).rejects.toMatchObject({ code });
  await expect(cause).rejects.toThrow(message);
});
