// Consolidations that nobody asks for: after a pause without turns, and by schedules. On the engine at hand.
import type { AgentSettings } from "../../src/store/port/records.ts";
import { type ConsolidationScene, named, openConsolidationScene } from "../support/consolidation-scene.ts";
import { createTestRuntimes, drain, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const pauseMs = 300_000;

async function openScene(settings: Partial<AgentSettings> = { consolidationIdleMinutes: 5 }) {
  const scene = await openConsolidationScene(runtimes, {
    settings,
    consolidator: (rows) => [
      { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
    ],
  });
  await scene.add(short);
  await scene.add(long);
  return scene;
}

async function pass({ clock, runtime }: ConsolidationScene, ms: number): Promise<void> {
  await clock.advance(ms);
  await runtime.idle();
}

const statuses = async ({ runtime, name }: ConsolidationScene) =>
  (await runtime.consolidation.list(name)).map(({ status }) => status);

it("runs after a pause without turns, waits for the review, and calls no model on an idle day", async () => {
  const scene = await openScene();
  await scene.say("Hello");
  await pass(scene, pauseMs - 1);
  expect(scene.asked()).toBe(0);
  await pass(scene, 1);
  expect(await statuses(scene)).toEqual(["proposed"]);
  await scene.add("Ada sails on Sundays");
  await scene.add("Ada sails on Sundays at noon");
  await scene.say("Hello again");
  await pass(scene, pauseMs);
  expect(scene.asked()).toBe(1);
  const [run] = await scene.runtime.consolidation.list(scene.name);
  await scene.runtime.consolidation.apply(run!.id);
  const quiet = await openScene();
  await quiet.runtime.consolidation.run(quiet.name);
  const [waiting] = await quiet.runtime.consolidation.list(quiet.name);
  await quiet.runtime.consolidation.apply(waiting!.id);
  await quiet.say("Good night");
  await pass(quiet, 86_400_000);
  expect(quiet.asked()).toBe(1);
});

it("begins the pause anew with each turn, and a turn that begins meanwhile ends the model call", async () => {
  const scene = await openScene();
  await scene.say("Hello");
  await pass(scene, pauseMs - 90_000);
  await scene.say("Still here");
  await pass(scene, pauseMs - 1);
  expect(scene.asked()).toBe(0);
  const release = scene.hold();
  await scene.clock.advance(1);
  while ((await statuses(scene)).length === 0) await new Promise(setImmediate);
  for await (const { type } of scene.agent.send("One more")) if (type === "turn-start") release();
  await scene.runtime.idle();
  expect(await statuses(scene)).toEqual(["failed"]);
  await pass(scene, pauseMs);
  expect(await statuses(scene)).toEqual(["proposed", "failed"]);
});

it("is one run of two processes, and does not begin while a turn runs elsewhere", async () => {
  const scene = await openScene();
  const other = await runtimes.open(scene.given);
  const second = await other.agents.open(scene.name, { conversation: "new" });
  await scene.say("Hello");
  await drain(second.send("Hello from elsewhere"));
  const release = scene.hold();
  const turn = second.send("This takes long")[Symbol.asyncIterator]();
  await turn.next();
  await scene.clock.advance(pauseMs);
  await scene.runtime.idle();
  expect(await statuses(scene)).toEqual([]);
  release();
  while ((await turn.next()).done !== true);
  await scene.say("Hello");
  await scene.clock.advance(pauseMs);
  await Promise.all([scene.runtime.idle(), other.idle()]);
  expect(await statuses(scene)).toEqual(["proposed"]);
  expect(scene.asked()).toBe(1);
});

it("is run by a schedule with the text /consolidate, without a message", async () => {
  const scene = await openScene({});
  const { id } = await scene.runtime.schedules.create(scene.name, { text: "/consolidate", cron: "0 3 * * *" });
  for (let day = 0; day < 2; day += 1) {
    await pass(scene, 86_400_000);
    await scene.runtime.schedules.fire();
    await scene.runtime.idle();
  }
  const runs = await scene.runtime.schedules.runs(id);
  expect(runs.map(({ status, outcome, turnId }) => [status, outcome, turnId])).toEqual([
    ["ended", "nothing", null],
    ["ended", "proposed", null],
  ]);
  expect(scene.asked()).toBe(1);
  expect(await statuses(scene)).toEqual(["proposed"]);
  expect(scene.agent.messages).toEqual([]);
});
