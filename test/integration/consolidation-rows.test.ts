// What a consolidation compares: the passages that the model is shown with messages, and those that it was not shown.
import { z } from "zod";
import { ScratchpadMemory } from "../../src/memory/core/scratchpad-memory.ts";
import { textOf } from "../../src/base/message/message.ts";
import { memoryOf, named, openConsolidationScene } from "../support/consolidation-scene.ts";
import { createTestRuntimes, drain, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

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
