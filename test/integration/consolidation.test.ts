// What consolidation does to memory, and what it never does: lose a fact, raise trust, or write without a signal.
import { ModelRequestError } from "../../src/base/errors.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { type ConsolidationScene, named, openConsolidationScene } from "../support/consolidation-scene.ts";

const runtimes = useRuntimes();

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const merge = () =>
  openConsolidationScene(runtimes, {
    consolidator: (rows) => [
      { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
    ],
  });

async function current({ runtime, name }: ConsolidationScene): Promise<readonly string[]> {
  const passages = await runtime.archival.list(name);
  return passages.filter(({ replacedBy }) => replacedBy === undefined).map(({ text }) => text);
}

async function run({ runtime, name }: ConsolidationScene) {
  const made = await runtime.consolidation.run(name);
  if (made === null) throw new Error("Expected a consolidation, got none.");
  return made;
}

it("proposes, and changes memory only when its operations are applied; an undo restores every byte", async () => {
  const scene = await merge();
  await scene.add(short);
  await scene.add(long);
  const before = await scene.memory();
  const made = await run(scene);
  expect(made).toMatchObject({
    status: "proposed",
    signals: { similar: 2 },
    operations: [{ why: null, trust: "user" }],
  });
  expect(await scene.memory()).toEqual(before);
  const applied = await scene.runtime.consolidation.apply(made.id);
  expect(applied).toMatchObject({ status: "applied", operations: [{ status: "applied" }] });
  expect(await current(scene)).toEqual([long]);
  expect(await scene.runtime.consolidation.find(made.id)).toEqual(applied);
  expect(await scene.runtime.consolidation.undo(made.id)).toMatchObject({ status: "undone" });
  expect(await scene.memory()).toEqual(before);
  await expect(scene.runtime.consolidation.undo(made.id)).rejects.toMatchObject({ code: "consolidation_refused" });
});

it("calls no model while nothing is new", async () => {
  const scene = await merge();
  expect(await scene.runtime.consolidation.run(scene.name)).toBeNull();
  await scene.add("Ada sails on Sundays");
  await scene.say("Hello there");
  expect(await scene.runtime.consolidation.run(scene.name)).toBeNull();
  await scene.add(short);
  await scene.add(long);
  await run(scene);
  await scene.clock.advance(86_400_000);
  expect(await scene.runtime.consolidation.run(scene.name)).toBeNull();
  expect(scene.asked()).toBe(1);
});

it("replaces a line by what the user said later, and keeps the old one in the archive", async () => {
  const [old, said] = ["Order number: 4711", "Sorry, my order number is 4712, not 4711."];
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => [
      {
        kind: "supersede",
        targets: [named(rows, old)],
        texts: [said],
        evidence: [{ row: named(rows, said), quote: said }],
      },
    ],
  });
  await scene.runtime.memory.remember(scene.name, old);
  const before = await scene.memory();
  await scene.say(said);
  await scene.add("Two kinds of tea are in stock: green and black");
  await scene.add("Two kinds of tea are in stock");
  const added = await scene.memory();
  const made = await run(scene);
  expect(made.operations).toMatchObject([{ status: "proposed", trust: "user", why: null, needsReview: true }]);
  await scene.runtime.consolidation.apply(made.id);
  const { modules, passages } = await scene.memory();
  expect(modules.find(({ label }) => label === "human")?.value).toBe(said);
  expect(passages.find(({ text }) => text === old)?.replacedBy).toBe(passages.find(({ text }) => text === said)?.id);
  await scene.runtime.consolidation.undo(made.id);
  expect(await scene.memory()).toEqual(added);
  expect((await scene.memory()).modules).toEqual(before.modules);
});

it("is run by one of two processes", async () => {
  const scene = await merge();
  await scene.add(short);
  await scene.add(long);
  const other = await runtimes.open(scene.given);
  const outcomes = await Promise.allSettled([scene.runtime, other].map((one) => one.consolidation.run(scene.name)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await scene.runtime.consolidation.list(scene.name)).toHaveLength(1);
});

it("reads the same again after the model has failed", async () => {
  let fails = true;
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) =>
      fails
        ? new ModelRequestError("down", { provider: "scripted" })
        : [{ kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) }],
  });
  await scene.add(short);
  await scene.add(long);
  await expect(scene.runtime.consolidation.run(scene.name)).rejects.toMatchObject({ code: "consolidation_refused" });
  fails = false;
  expect((await run(scene)).operations).toMatchObject([{ status: "proposed" }]);
  expect((await scene.runtime.consolidation.list(scene.name)).map(({ status }) => status)).toEqual([
    "proposed",
    "failed",
  ]);
});

it("drops an operation whose rows have changed before it is applied", async () => {
  const scene = await merge();
  const { id } = await scene.add(short);
  await scene.add(long);
  const made = await run(scene);
  await scene.runtime.archival.delete(scene.name, id);
  const applied = await scene.runtime.consolidation.apply(made.id);
  expect(applied.operations).toMatchObject([{ status: "dropped", why: "a target has changed or does not exist" }]);
  expect(await current(scene)).toEqual([long]);
});

it("is not applied while a turn of the agent runs", async () => {
  const scene = await merge();
  await scene.add(short);
  await scene.add(long);
  const made = await run(scene);
  const release = scene.hold();
  const turn = drain(scene.agent.send("hello"));
  while ((await scene.runtime.conversations.messages(scene.agent.conversationId)).messages.length === 0)
    await new Promise(setImmediate);
  let outcome: unknown;
  void scene.runtime.consolidation.apply(made.id).then(
    () => (outcome = "applied"),
    (error: unknown) => (outcome = error),
  );
  while (outcome === undefined) {
    await new Promise(setImmediate);
    await scene.clock.advance(1);
  }
  expect(outcome).toMatchObject({ code: "agent_busy" });
  release();
  await turn;
  expect(await scene.runtime.consolidation.apply(made.id)).toMatchObject({ status: "applied" });
});

it("applies only exact duplicates by itself with the setting auto", async () => {
  const twin = "the dentist appointment on 2026-12-05 is at 10:00.";
  const scene = await openConsolidationScene(runtimes, {
    settings: { consolidation: "auto" },
    consolidator: (rows) => [
      { kind: "merge", targets: [named(rows, twin), named(rows, long)], keep: named(rows, long) },
      { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
      {
        kind: "merge",
        targets: [named(rows, "Ada drinks tea"), named(rows, "Ada drinks green tea")],
        keep: named(rows, "Ada drinks green tea"),
      },
    ],
  });
  for (const text of [short, long, twin, "Ada drinks tea", "Ada drinks green tea"]) await scene.add(text);
  const made = await run(scene);
  expect(made.operations.map(({ status }) => status)).toEqual(["applied", "dropped", "proposed"]);
  expect(await current(scene)).not.toContain(twin);
});

it("is refused with the setting off", async () => {
  const scene = await openConsolidationScene(runtimes, { settings: { consolidation: "off" }, consolidator: () => [] });
  await expect(scene.runtime.consolidation.run(scene.name)).rejects.toMatchObject({ code: "consolidation_refused" });
});

it("a message that was forgotten is no row of a request", async () => {
  const shown: string[] = [];
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => {
      shown.push(...rows.map(({ text }) => text));
      return [];
    },
  });
  await scene.say("My neighbour is called Kwame.");
  await scene.say("I keep bees in the garden.");
  await scene.runtime.forget.apply({ texts: ["My neighbour is called Kwame."] });
  await scene.add(short);
  await scene.add(long);
  await run(scene);
  expect(shown).toContain("I keep bees in the garden.");
  expect(shown.filter((text) => text.includes("Kwame") || text.includes("forgotten"))).toEqual([]);
});

it("a forgetting reaches proposals and quotes, and ends a run whose model has read the text", async () => {
  const scene = await merge();
  await scene.add(short);
  await scene.add(long);
  const made = await run(scene);
  await scene.runtime.forget.apply({ texts: ["dentist appointment"] });
  expect(JSON.stringify(await scene.runtime.consolidation.find(made.id))).not.toContain("entist");
  const applied = await scene.runtime.consolidation.apply(made.id);
  expect(applied.operations).toMatchObject([{ status: "dropped", texts: ["[forgotten]"], evidence: [] }]);
  expect(JSON.stringify([applied, await scene.memory()])).not.toContain("entist");
  const again = await merge();
  await again.add(short);
  await again.add(long);
  const release = again.hold();
  const running = again.runtime.consolidation.run(again.name).catch((error: unknown) => error);
  while ((await again.runtime.consolidation.list(again.name)).length === 0) await new Promise(setImmediate);
  await again.runtime.forget.apply({ texts: ["dentist appointment"] });
  release();
  expect(await running).toMatchObject({ code: "agent_busy" });
  const [ended] = await again.runtime.consolidation.list(again.name);
  expect(ended).toMatchObject({ status: "failed", operations: [], reason: "A text was forgotten during the run." });
});

it("keeps a passage that was saved again, whatever happens to the run that added it", async () => {
  const whole = "Tea: green, black. Ada sails on Sundays";
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => [
      { kind: "split", targets: [named(rows, whole)], texts: ["Tea: green, black.", "Ada sails on Sundays"] },
    ],
  });
  await scene.add(whole);
  await scene.add("Ada sails on Sundays with tea");
  const made = await run(scene);
  await scene.runtime.consolidation.apply(made.id);
  await scene.add("Ada sails on Sundays");
  await scene.runtime.consolidation.undo(made.id);
  expect((await current(scene)).toSorted()).toEqual(["Ada sails on Sundays", "Ada sails on Sundays with tea", whole]);
});
