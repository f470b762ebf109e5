// What a consolidation compares, with messages and without, and its second call: which operations that may correct, what it costs, and
// that nothing is lost if it fails.
import { z } from "zod";
import { ScratchpadMemory } from "../../src/memory/core/scratchpad-memory.ts";
import { textOf } from "../../src/base/message/message.ts";
import { ModelRequestError } from "../../src/base/errors.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import {
  memoryOf,
  named,
  openConsolidationScene,
  type Consolidator,
  type ConsolidationScene,
  type ShownRow,
  type WrittenOperation,
} from "../support/consolidation-scene.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const [known, said] = ["Ada drinks green tea", "By the way, Ada drinks green tea. She sails."];

it("shows the passages that a message is about, also if its turn saved something, and names similar ones", async () => {
  let isFirst = true;
  const shown: string[] = [];
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => {
      shown.splice(0, shown.length, ...rows.map(({ text }) => text));
      return [];
    },
    reply: () => {
      if (!isFirst) return undefined;
      isFirst = false;
      return { toolCalls: [{ name: "archival_memory_insert", arguments: { content: "Ada owns a boat" } }] };
    },
  });
  for (const text of [known, short, long]) await scene.add(text);
  await scene.runtime.consolidation.run(scene.name);
  expect(shown).not.toContain(known);
  expect(textOf(scene.requests()[0]![0]!)).toContain("\nSimilar: p1 p2\nRows:");
  await scene.say(said);
  await scene.add(`${long} sharp`);
  await scene.runtime.consolidation.run(scene.name);
  expect(textOf(scene.requests()[1]![0]!)).toMatch(/^m1 \S+ \S+ saved /mu);
  expect(shown).toEqual(expect.arrayContaining([known, said]));
});

it("shows a message once, although its conversation was copied", async () => {
  const shown: string[] = [];
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => {
      shown.push(...rows.map(({ text }) => text));
      return [];
    },
  });
  for (const text of [short, long]) await scene.add(text);
  await scene.say(said);
  const [talk] = await scene.runtime.conversations.list(scene.name);
  await scene.runtime.conversations.fork(talk!.id);
  await scene.runtime.consolidation.run(scene.name);
  expect(shown.filter((text) => text === said)).toHaveLength(1);
});

it.each(["while the model answers", "before it is applied"])(
  "adds nothing that another program saves %s in almost the same words",
  async (moment) => {
    const isEarly = moment.startsWith("while");
    const scene = await openConsolidationScene(runtimes, {
      consolidator: (rows) => [
        { kind: "add", texts: ["Ada drinks green tea."], evidence: [{ row: named(rows, said), quote: said }] },
      ],
    });
    for (const text of [short, long]) await scene.add(text);
    await scene.say(said);
    const release = scene.hold();
    const running = scene.runtime.consolidation.run(scene.name);
    while ((await scene.runtime.consolidation.list(scene.name)).length === 0) await new Promise(setImmediate);
    if (isEarly) await scene.add(`The user: ${known}`);
    release();
    const run = await running;
    if (!isEarly) await scene.add(`The user: ${known}`);
    const { operations } = isEarly ? run! : await scene.runtime.consolidation.apply(run!.id);
    const why = `memory has the text already, in a passage: "The user: ${known}"`;
    expect(operations).toMatchObject([{ status: "dropped", why }]);
  },
);

const ticketSchema = z.object({ ticket: z.string().describe("Its number.") });

/** Its scratchpad is empty at first, because no default fits the schema. */
class TicketMemory extends ScratchpadMemory<typeof ticketSchema> {
  static override readonly type = "ticket";
  static override readonly schema = ticketSchema;
}

const expired = JSON.stringify({ key_facts: ["The dentist appointment was on 2049-12-05"] }, null, 2);

it.each([
  ["a scratchpad", { memoryType: "scratchpad" }, "scratchpad"],
  ["another module with JSON", { memoryType: "free", modules: [{ label: "notes", value: "" }] }, "notes"],
])("does not read %s, and changes nothing in it", async (_what, create, label) => {
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => [
      { kind: "move-to-archive", targets: [rows.find(({ text }) => text.includes("2049"))!.name] },
    ],
  });
  const { runtime } = scene;
  const { id } = await runtime.agents.create({ name: label, ...create, settings: { consolidation: "auto" } });
  await runtime.memory.set(id, label, expired);
  const before = await memoryOf(runtime, id);
  expect(await runtime.consolidation.run(id)).toBeNull();
  expect(await memoryOf(runtime, id)).toEqual(before);
});

it("adds nothing to an empty scratchpad", async () => {
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => [
      { kind: "add", texts: [said], module: "scratchpad", evidence: [{ row: named(rows, said), quote: said }] },
    ],
    runtime: { memoryClasses: [TicketMemory] },
  });
  const { runtime } = scene;
  const agent = await runtime.agents.open("clerk", { create: { memoryType: "ticket" } });
  for (const text of [short, long]) await runtime.archival.add("clerk", text);
  await drain(agent.send(said));
  const run = await runtime.consolidation.run("clerk");
  expect(run!.operations).toMatchObject([{ status: "dropped", why: "the module does not exist" }]);
});

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
    expect(run?.reason).toContain(`without success: `);
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
