// The second call of a consolidation: which operations it may correct, what it costs, and that nothing is lost if it fails.
import { ModelRequestError } from "../../src/base/errors.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import {
  type Consolidator,
  type ConsolidationScene,
  named,
  openConsolidationScene,
  type ShownRow,
  type WrittenOperation,
} from "../support/consolidation-scene.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const [tea, green] = ["Ada drinks tea", "Ada drinks green tea"];

const merge = (rows: readonly ShownRow[], from: readonly string[], keep: string): WrittenOperation => ({
  kind: "merge",
  targets: from.map((text) => named(rows, text)),
  keep: named(rows, keep),
});
const valid = (rows: readonly ShownRow[]) => merge(rows, [short, long], long);
const lossy = (rows: readonly ShownRow[]) => merge(rows, [tea, green], tea);
const dropped = { status: "dropped", why: 'the new text drops a part of a target: "Ada drinks green tea"' };

/** A scene whose model first proposes one operation that passes and one that is dropped. */
async function openScene(second: Consolidator, runtime: RuntimeOptions = {}): Promise<ConsolidationScene> {
  const scene = await openConsolidationScene(runtimes, {
    runtime,
    consolidator: (rows, correction) =>
      correction === undefined ? [lossy(rows), valid(rows)] : second(rows, correction),
  });
  for (const text of [short, long, tea, green]) await scene.add(text);
  return scene;
}

const runsOf = ({ runtime, name }: ConsolidationScene) => runtime.consolidation.list(name);

it("asks once more about what was dropped, in the same conversation, and counts both calls", async () => {
  let told = "";
  const scene = await openScene(
    (rows, correction = "") => {
      told = correction;
      return [merge(rows, [tea, green], green), valid(rows), { ...lossy(rows), reason: "Again." }];
    },
    { prices: { scripted: { input: 1, cachedInput: 1, output: 1 } } },
  );
  const run = await scene.runtime.consolidation.run(scene.name);
  expect(told.split("\n").at(-1)).toBe(`- merge p3, p4: ${dropped.why}`);
  const roles = scene.requests().map((messages) => messages.map(({ role }) => role));
  expect(roles).toEqual([["user"], ["user", "assistant", "user"]]);
  expect(run?.operations).toMatchObject([dropped, { status: "proposed" }, { status: "proposed", texts: [green] }]);
  expect(run).toMatchObject({ reason: null, usage: { inputTokens: 200, outputTokens: 20 }, dollars: 0.00022 });
  expect(await scene.runtime.consolidation.apply(run!.id)).toMatchObject({ status: "applied" });
});

it("changes no row of an operation that has passed", async () => {
  const scene = await openScene((rows) => [
    { kind: "split", targets: [named(rows, long)], texts: ["The dentist", "10:00"] },
  ]);
  const run = await scene.runtime.consolidation.run(scene.name);
  const why = `another operation changes the same row: "${long}"`;
  expect(run?.operations).toMatchObject([dropped, { status: "proposed" }, { status: "dropped", why }]);
  expect(scene.asked()).toBe(2);
});

it("keeps what has passed if the second call fails or has no list, and says so", async () => {
  const failing = await openScene(() => new ModelRequestError("down", { provider: "scripted" }));
  const wordy = await openScene(() => "I cannot.");
  for (const [scene, reason] of [
    [failing, "down"],
    [wordy, "the answer has no list of operations"],
  ] as const) {
    const run = await scene.runtime.consolidation.run(scene.name);
    expect(run).toMatchObject({ status: "proposed", operations: [dropped, { status: "proposed" }] });
    expect(run?.reason).toContain(`in vain: `);
    expect(run?.reason).toContain(reason);
  }
});

it("keeps what has passed if the second call is interrupted", async () => {
  const stop = new AbortController();
  const scene = await openScene(() => {
    stop.abort(new Error("stopped"));
    return stop.signal.reason as Error;
  });
  const running = scene.runtime.consolidation.run(scene.name, { signal: stop.signal });
  await expect(running).rejects.toThrow("stopped");
  const usage = { inputTokens: 100 };
  expect(await runsOf(scene)).toMatchObject([{ status: "proposed", operations: [dropped, { why: null }], usage }]);
});

it("makes no second call over a limit of the user, or late", async () => {
  const limited = await openScene(() => [], { maxDailyTokens: 110 });
  expect(await limited.runtime.consolidation.run(limited.name)).toMatchObject({ status: "proposed" });
  const slow = await openScene(() => []);
  const release = slow.hold();
  const running = slow.runtime.consolidation.run(slow.name);
  while ((await runsOf(slow)).length === 0) await new Promise(setImmediate);
  await slow.clock.advance(500_000);
  release();
  expect(await running).toMatchObject({ status: "proposed" });
  expect([limited.asked(), slow.asked()]).toEqual([1, 1]);
});

it("sends nothing again that was forgotten meanwhile", async () => {
  const scene = await openScene(() => []);
  const release = scene.hold();
  const running = scene.runtime.consolidation.run(scene.name).catch((error: unknown) => error);
  while ((await runsOf(scene)).length === 0) await new Promise(setImmediate);
  await scene.runtime.forget.apply({ texts: ["dentist appointment"] });
  release();
  expect(await running).toMatchObject({ code: "agent_busy" });
  expect(scene.asked()).toBe(1);
});
