// Consolidations that nobody asks for: after a pause without turns, and by schedules. On the engine at hand.
import type { AgentSettings } from "../../src/store/port/records.ts";
import { type ConsolidationScene, named, openConsolidationScene } from "../support/consolidation-scene.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

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

/** Fires a schedule that runs a consolidation, once, and returns its history. */
async function fire({ runtime, name, clock }: ConsolidationScene) {
  const at = new Date(clock.now().getTime() + 60_000);
  const { id } = await runtime.schedules.create(name, { text: "/consolidate", at });
  await clock.advance(60_000);
  await runtime.schedules.fire();
  return async (reader = runtime) => (await reader.schedules.runs(id)).map(({ status, outcome }) => [status, outcome]);
}

/** Resolves when a model call is held. */
async function isHeld(scene: ConsolidationScene): Promise<void> {
  while (scene.held() === 0) await new Promise(setImmediate);
}

async function sendAndRelease({ agent, runtime }: ConsolidationScene, release: () => void): Promise<void> {
  for await (const { type } of agent.send("One more")) if (type === "turn-start") release();
  await runtime.idle();
}

it("is ended by a turn if a schedule began it, also without a pause to wait for, and the history says so", async () => {
  const scene = await openScene({});
  const release = scene.hold();
  const history = await fire(scene);
  await isHeld(scene);
  await sendAndRelease(scene, release);
  expect(await history()).toEqual([["skipped", "busy"]]);
  expect(await statuses(scene)).toEqual(["failed"]);
});

it("is ended by closing if a schedule began it, and another process runs it", async () => {
  const scene = await openScene({});
  const other = await runtimes.open(scene.given);
  const release = scene.hold();
  const history = await fire(scene);
  await isHeld(scene);
  await scene.runtime.close();
  release();
  expect(await history(other)).toEqual([["running", null]]);
  await scene.clock.advance(60_000);
  await other.schedules.fire();
  await other.idle();
  expect(await history(other)).toEqual([["ended", "proposed"]]);
});

it("waits for the review if a turn interrupts the second call of a schedule's run, also with auto", async () => {
  let release = (): void => undefined;
  const scene = await openConsolidationScene(runtimes, {
    settings: { consolidation: "auto" },
    consolidator: (rows, correction) => {
      if (correction !== undefined) return [];
      release = scene.hold();
      const same = [named(rows, long), named(rows, `${long}.`)];
      return [
        { kind: "merge", targets: same, keep: named(rows, long) },
        { kind: "move-to-archive", targets: [named(rows, short)] },
      ];
    },
  });
  for (const text of [short, long, `${long}.`]) await scene.add(text);
  const history = await fire(scene);
  await isHeld(scene);
  await sendAndRelease(scene, release);
  expect(await history()).toEqual([["ended", "proposed"]]);
  const [run] = await scene.runtime.consolidation.list(scene.name);
  expect(run?.operations).toMatchObject([{ status: "proposed", needsReview: false }, { status: "dropped" }]);
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
