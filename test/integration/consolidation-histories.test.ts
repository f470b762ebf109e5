// Random histories on a real database: whatever a model proposes, an undo restores every byte, and nothing that was forgotten
// comes back. CONSOLIDATION_HISTORIES sets the number of histories.
import type { MemoryRow } from "../../src/store/port/consolidation-store.ts";
import { happen, newWorld, pick } from "../support/consolidation-histories.ts";
import { type ConsolidationScene, openConsolidationScene, type ShownRow } from "../support/consolidation-scene.ts";
import { useRuntimes } from "../support/runtime.ts";
import { consolidators } from "../support/scripted-consolidators.ts";

const histories = Number(process.env["CONSOLIDATION_HISTORIES"] ?? 4);

const runtimes = useRuntimes();

function rowOf({ name, text }: ShownRow): MemoryRow {
  const kind = name.startsWith("p") && !name.includes(":") ? "passage" : name.includes(":") ? "line" : "message";
  return { kind, id: name, text, trust: "user", at: new Date(0) };
}

/** A scene whose model proposes what the scripted consolidators do. */
async function openScene(seed: number) {
  const world = newWorld(seed);
  const scene = await openConsolidationScene(runtimes, {
    consolidator: (shown) => {
      const rows = shown.map(rowOf);
      const proposed = [...consolidators.good(world, rows), ...consolidators.lying(world, rows)];
      return proposed.map(({ targets, evidence, module, ...operation }) => ({
        ...operation,
        ...(module === null ? {} : { module }),
        targets: targets.map(({ id }) => id),
        evidence: evidence.map(({ id, quote }) => ({ row: id, quote })),
      }));
    },
  });
  return { world, scene };
}

/** Enters in the scene what has happened in the world. */
async function enter({ world, scene }: Awaited<ReturnType<typeof openScene>>): Promise<void> {
  const known = world.seeds.length;
  happen(world);
  for (const { kind, text, trust } of world.seeds.slice(known)) {
    if (kind === "message") await scene.say(text);
    else if (kind === "line") await scene.runtime.memory.remember(scene.name, text);
    else if (trust === "external") await scene.runtime.archival.import(scene.name, [{ text }]);
    else await scene.add(text);
  }
}

async function applied({ runtime, name }: ConsolidationScene): Promise<string | null> {
  const run = await runtime.consolidation.run(name);
  if (run === null || run.status !== "proposed") return null;
  const { operations, id } = await runtime.consolidation.apply(run.id);
  return operations.some(({ status }) => status === "applied") ? id : null;
}

it(`restores every byte, and brings back nothing that was forgotten, in ${histories} histories`, async () => {
  let undone = 0;
  for (let seed = 0; seed < histories; seed += 1) {
    const history = await openScene(seed);
    const { world, scene } = history;
    for (let round = 0; round < 4; round += 1) {
      for (let event = 0; event < 4; event += 1) await enter(history);
      const before = await scene.memory();
      const id = await applied(scene);
      if (id === null) continue;
      undone += 1;
      expect(await scene.memory()).not.toEqual(before);
      await scene.runtime.consolidation.undo(id);
      expect({ seed, round, memory: await scene.memory() }).toEqual({ seed, round, memory: before });
    }
    const run = await scene.runtime.consolidation.run(scene.name);
    const text = pick(world.random, world.seeds).text.split(" ").slice(0, 4).join(" ");
    await scene.runtime.forget.apply({ texts: [text] });
    if (run?.status === "proposed") {
      await scene.runtime.consolidation.apply(run.id).catch(() => null);
      await scene.runtime.consolidation.undo(run.id).catch(() => null);
    }
    const runs = await scene.runtime.consolidation.list(scene.name);
    expect(JSON.stringify([await scene.memory(), runs]).toLowerCase()).not.toContain(text.toLowerCase());
  }
  expect(undone).toBeGreaterThan(histories);
});
