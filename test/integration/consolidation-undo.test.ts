// The only copy of a line that a consolidation moved or replaced is never deleted: not by an undo of the run, and not when
// the turn is taken back that has saved the same text.
import { type ConsolidationScene, named, openConsolidationScene } from "../support/consolidation-scene.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const [taxes, rent] = ["Taxes of 2049-12-30 are done", "Rent is due on 2049-12-31"];

/** A scene with a run that waits: it moves two lines of `human` to the archive. */
async function openProposal() {
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => [taxes, rent].map((line) => ({ kind: "move-to-archive", targets: [named(rows, line)] })),
  });
  for (const line of [taxes, rent]) await scene.runtime.memory.remember(scene.name, line);
  const before = await scene.memory();
  const run = await scene.runtime.consolidation.run(scene.name);
  if (run === null) throw new Error("Expected a consolidation, got none.");
  return { ...scene, before, id: run.id };
}

type Proposal = Awaited<ReturnType<typeof openProposal>>;

const archived = async ({ memory }: ConsolidationScene) => (await memory()).passages.map(({ text }) => text).toSorted();

const human = async ({ runtime, name }: ConsolidationScene) =>
  (await runtime.memory.show(name)).find(({ label }) => label === "human")!.id;

async function dropRevisions({ runtime, name }: ConsolidationScene): Promise<void> {
  await runtime.agents.update(name, { retention: { revisions: { perModule: 1 } } });
  await runtime.retention.apply(name);
}

it.each<[string, (proposal: Proposal) => Promise<unknown>]>([
  [
    "retention has dropped the revision of the run",
    async (proposal) => {
      const { runtime, name, id } = proposal;
      await runtime.consolidation.apply(id);
      await runtime.memory.remember(name, "Likes tea");
      await dropRevisions(proposal);
    },
  ],
  [
    "retention has dropped the first of two revisions of the run",
    async (proposal) => {
      const { runtime, id } = proposal;
      await runtime.consolidation.apply(id, { operations: [1] });
      await runtime.consolidation.apply(id, { operations: [2] });
      await dropRevisions(proposal);
    },
  ],
  [
    "the module is deleted",
    async (proposal) => {
      const { runtime, id } = proposal;
      await runtime.consolidation.apply(id);
      await runtime.modules.delete(await human(proposal));
    },
  ],
])("an undo is refused, and keeps the passages, if %s", async (_what, prepare) => {
  const proposal = await openProposal();
  await prepare(proposal);
  const [applied, memory] = [await proposal.runtime.consolidation.find(proposal.id), await proposal.memory()];
  expect(await archived(proposal)).toEqual([rent, taxes]);
  await expect(proposal.runtime.consolidation.undo(proposal.id)).rejects.toMatchObject({
    code: "undo_refused",
    message: expect.stringContaining('"human"'),
  });
  expect(await proposal.runtime.consolidation.find(proposal.id)).toEqual(applied);
  expect(await proposal.memory()).toEqual(memory);
});

it("an undo waits until a detached module is attached again", async () => {
  const proposal = await openProposal();
  const { runtime, name, id, before } = proposal;
  await runtime.consolidation.apply(id);
  const module = await human(proposal);
  await runtime.modules.detach(name, module);
  await expect(runtime.consolidation.undo(id)).rejects.toMatchObject({ code: "undo_refused" });
  expect(await archived(proposal)).toEqual([rent, taxes]);
  await runtime.modules.attach(name, module);
  await runtime.consolidation.undo(id);
  const { modules, passages } = await proposal.memory();
  expect(passages).toEqual([]);
  expect(modules).toEqual(expect.arrayContaining([...before.modules]));
});

it("an undo of two applications restores both lines", async () => {
  const { runtime, id, before, memory } = await openProposal();
  for (const number of [1, 2]) await runtime.consolidation.apply(id, { operations: [number] });
  await runtime.consolidation.undo(id);
  expect(await memory()).toEqual(before);
});

const moved = "Rent of 2050-01-05 is paid, not due on 2049-12-31";

/** A scene in which the last turn has saved the text of a line of `human`, and a run has moved or replaced the line. */
async function openSaved(kind: "move-to-archive" | "supersede", statement = `${rent}. ${moved}`) {
  let isFirst = true;
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (rows) => {
      const row = named(rows, statement);
      const rest = kind === "supersede" ? { texts: [moved], evidence: [{ row, quote: moved }] } : {};
      return [
        {
          kind,
          targets: rows
            .filter(({ text }) => text === rent)
            .map(({ name }) => name)
            .slice(0, 1),
          ...rest,
        },
      ];
    },
    reply: () => {
      if (!isFirst) return undefined;
      isFirst = false;
      return { toolCalls: [{ name: "archival_memory_insert", arguments: { content: rent } }] };
    },
  });
  await scene.runtime.memory.remember(scene.name, rent);
  await scene.say(statement);
  const before = await scene.memory();
  expect(before.passages).toMatchObject([{ text: rent, messageId: expect.any(String) }]);
  const run = await scene.runtime.consolidation.run(scene.name);
  const { operations, id } = await scene.runtime.consolidation.apply(run!.id);
  expect(operations).toMatchObject([{ status: "applied" }]);
  return { ...scene, before, id };
}

it.each(["move-to-archive", "supersede"] as const)(
  "a turn that is taken back does not delete the copy of a line after a %s",
  async (kind) => {
    const scene = await openSaved(kind);
    await drain(scene.agent.retry());
    const { modules } = await scene.memory();
    expect(
      modules
        .map(({ value }) => value)
        .join("\n")
        .split("\n"),
    ).not.toContain(rent);
    expect(await archived(scene)).toContain(rent);
  },
);

it.each(["move-to-archive", "supersede"] as const)(
  "an undo of a %s keeps the passage that a turn had saved before",
  async (kind) => {
    const { runtime, memory, before, id } = await openSaved(kind);
    await runtime.consolidation.undo(id);
    const { modules, passages } = await memory();
    expect(modules).toEqual(before.modules);
    expect(passages).toEqual(before.passages.map(({ messageId: _message, ...passage }) => passage));
  },
);

describe("after a forgetting that has emptied an applied operation", () => {
  async function openForgotten() {
    const scene = await openSaved("supersede", `${rent}. ${moved}. Karin knows.`);
    await scene.runtime.forget.apply({ texts: ["Karin"] });
    const { operations } = await scene.runtime.consolidation.find(scene.id);
    expect(operations[0]?.targets).toMatchObject([{ text: "[forgotten]" }]);
    return scene;
  }
  const lines = async ({ memory }: ConsolidationScene) =>
    (await memory()).modules.flatMap(({ value }) => value.split("\n"));

  it("an undo restores the lines", async () => {
    const scene = await openForgotten();
    await scene.runtime.consolidation.undo(scene.id);
    expect(await lines(scene)).toContain(rent);
  });

  it("an undo without the revisions is refused, and keeps the passages", async () => {
    const scene = await openForgotten();
    await scene.runtime.memory.remember(scene.name, "Likes tea");
    await dropRevisions(scene);
    await expect(scene.runtime.consolidation.undo(scene.id)).rejects.toMatchObject({ code: "undo_refused" });
    expect(await archived(scene)).toContain(rent);
  });
});

it("an undo restores the lines of a module that has another label since", async () => {
  const proposal = await openProposal();
  await proposal.runtime.consolidation.apply(proposal.id);
  await proposal.runtime.modules.update(await human(proposal), { label: "me" });
  await proposal.runtime.consolidation.undo(proposal.id);
  const me = (await proposal.runtime.memory.show(proposal.name)).find(({ label }) => label === "me");
  expect(me?.value.split("\n")).toEqual(expect.arrayContaining([taxes, rent]));
});

describe("a merge of two passages", () => {
  const [old, other] = ["The dentist in Porto is Mika Ito.", "The dentist in Porto is open on Mondays."];
  const whole = `${old} ${other}`;

  async function openMerged() {
    const scene = await openConsolidationScene(runtimes, {
      consolidator: (rows) => {
        const evidence = [old, other].map((text) => ({ row: named(rows, text), quote: text }));
        return [{ kind: "merge", targets: evidence.map(({ row }) => row), texts: [whole], evidence }];
      },
    });
    for (const text of [old, other]) await scene.add(text);
    const run = await scene.runtime.consolidation.run(scene.name);
    const { operations, id } = await scene.runtime.consolidation.apply(run!.id);
    expect(operations).toMatchObject([{ status: "applied" }]);
    return { ...scene, id };
  }

  it.each<[string, (scene: ConsolidationScene) => Promise<unknown>]>([
    [
      "retention has dropped one",
      async ({ runtime, name }) => {
        await runtime.agents.update(name, { retention: { passages: { rows: 2 } } });
        await runtime.retention.apply(name);
      },
    ],
    [
      "the user has deleted one",
      async ({ runtime, name, memory }) =>
        runtime.archival.delete(name, (await memory()).passages.find(({ text }) => text === old)!.id),
    ],
  ])("is not undone, and keeps the passage that replaced them, if %s", async (_what, prepare) => {
    const scene = await openMerged();
    await prepare(scene);
    const memory = await scene.memory();
    expect(memory.passages).toHaveLength(2);
    expect(await archived(scene)).toContain(whole);
    await expect(scene.runtime.consolidation.undo(scene.id)).rejects.toMatchObject({
      code: "undo_refused",
      message: expect.stringContaining("is not available any more"),
    });
    expect(await scene.memory()).toEqual(memory);
  });

  it("is undone without a deleted one that a passage from before replaced", async () => {
    const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
    const scene = await openConsolidationScene(runtimes, {
      consolidator: (rows) => [
        { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
      ],
    });
    const { id: deleted } = await scene.add(short);
    await scene.add(long);
    const run = await scene.runtime.consolidation.run(scene.name);
    await scene.runtime.consolidation.apply(run!.id);
    await scene.runtime.archival.delete(scene.name, deleted);
    await scene.runtime.consolidation.undo(run!.id);
    expect(await archived(scene)).toEqual([long]);
  });

  it("is undone if one of them was forgotten", async () => {
    const scene = await openMerged();
    await scene.runtime.forget.apply({ texts: [old], exact: true });
    await scene.runtime.consolidation.undo(scene.id);
    expect(await archived(scene)).toEqual([other]);
  });
});
