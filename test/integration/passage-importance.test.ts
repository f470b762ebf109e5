// The importance of a passage, number for number: 0.3 · recency + 0.3 · log(accesses + 1) + 0.4 · what it was given, as MUXI has
// it, and what it decides: who is shown first, and who stays.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

const day = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * day);

/** Of the only passage that holds the word. */
async function importanceIn(runtime: Awaited<ReturnType<TestRuntimes["open"]>>, name: string, word: string) {
  const { hits } = await runtime.archival.search(name, word);
  await runtime.idle();
  if (hits.length !== 1) throw new Error(`${hits.length} passages hold ${word}.`);
  return hits[0]?.explanation?.importance;
}

test("recency halves in 30 days, and the given importance counts 0.4, by default 0.4 · 0.5", async () => {
  const runtime = await runtimes.open({ userId: "recency" });
  await runtime.agents.create({ name: "main" });
  await runtime.archival.add("main", "granite");
  await runtime.archival.import("main", [
    { text: "slate", at: ago(30) },
    { text: "basalt", at: ago(60), importance: 1 },
    { text: "marble", at: ago(0), importance: 0 },
    { text: "sandstone", at: ago(3000), importance: 0 },
    // A time to come is no newer than now.
    { text: "chalk", at: ago(-30), importance: 1 },
  ]);
  const expected = { granite: 0.5, slate: 0.35, basalt: 0.475, marble: 0.3, sandstone: 0, chalk: 0.7 };
  for (const [word, importance] of Object.entries(expected)) {
    expect(await importanceIn(runtime, "main", word)).toBeCloseTo(importance, 3);
  }
});

test("each search that shows it adds to its accesses, which count by their natural logarithm", async () => {
  const runtime = await runtimes.open({ userId: "accesses" });
  await runtime.agents.create({ name: "main" });
  await runtime.archival.add("main", "granite");
  for (const accesses of [0, 1, 2, 3]) {
    expect(await importanceIn(runtime, "main", "granite")).toBeCloseTo(0.3 + 0.3 * Math.log(accesses + 1) + 0.2, 3);
  }
});

test("a more important passage ranks first if importance has a weight, and is evicted later", async () => {
  const runtime = await runtimes.open({ userId: "kept" });
  await runtime.agents.create({ name: "main" });
  const stone = (name: string, importance: number) => ({ text: `a stone: ${name}`, importance, at: ago(1) });
  await runtime.archival.import("main", [stone("slate", 0.1), stone("granite", 0.9), stone("chalk", 0.5)]);
  const weights = { importance: 10 };
  const { hits } = await runtime.archival.search("main", "stone", { weights });
  expect(hits.map(({ text }) => text)).toEqual(["a stone: granite", "a stone: chalk", "a stone: slate"]);
  await runtime.agents.update("main", { retention: { passages: { rows: 2 } } });
  await runtime.retention.apply("main");
  const rows = await runtime.archival.list("main");
  expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(["a stone: granite", "a stone: chalk"]));
});

test("age is computed by the runtime's clock, and not by the database's", async () => {
  let years = 0;
  const clock = { ...systemClock, now: () => new Date(Date.UTC(2001 + years, 0, 1)) };
  const runtime = await runtimes.open({ userId: "clock", clock });
  await runtime.agents.create({ name: "main" });
  await runtime.archival.add("main", "granite");
  await runtime.archival.import("main", [{ text: "slate", at: new Date(Date.UTC(2001, 0, 1) - 30 * day) }]);
  expect(await importanceIn(runtime, "main", "granite")).toBeCloseTo(0.5, 3);
  expect(await importanceIn(runtime, "main", "slate")).toBeCloseTo(0.35, 3);
  years = 10;
  expect(await importanceIn(runtime, "main", "granite")).toBeCloseTo(0.2 + 0.3 * Math.log(2), 3);
});

test("a source's passages have the age of the runtime's clock", async () => {
  const clock = { ...systemClock, now: () => new Date(Date.UTC(2001, 0, 1)) };
  const runtime = await runtimes.open({ userId: "loaded", clock });
  await runtime.agents.create({ name: "main" });
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-importance-"));
  try {
    writeFileSync(path.join(folder, "stones.txt"), "gneiss");
    const { source } = await runtime.sources.load("stones", [folder]);
    expect(source.loadedAt).toEqual(clock.now());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await runtime.sources.attach("main", "stones");
  const { hits } = await runtime.archival.search("main", "gneiss");
  expect(hits.map(({ at, explanation }) => [at, explanation?.importance])).toEqual([[clock.now(), 0.5]]);
});

test("retention evicts by the runtime's clock", async () => {
  const clock = { ...systemClock, now: () => new Date(Date.UTC(2001, 0, 31)) };
  const runtime = await runtimes.open({ userId: "retained", clock });
  await runtime.agents.create({ name: "main" });
  // By the database's clock both are so old that what was given decides alone.
  await runtime.archival.import("main", [
    { text: "a stone: granite", at: clock.now(), importance: 0.4 },
    { text: "a stone: slate", at: new Date(Date.UTC(2000, 0, 1)), importance: 0.5 },
  ]);
  await runtime.agents.update("main", { retention: { passages: { rows: 1 } } });
  await runtime.retention.apply("main");
  expect((await runtime.archival.list("main")).map(({ text }) => text)).toEqual(["a stone: granite"]);
});
