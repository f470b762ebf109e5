// The importance of a passage, number for number: 0.3 · recency + 0.3 · log(accesses + 1) + 0.4 · what it was given, as MUXI has
// it, and what it decides: who is shown first, and who stays.
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

const day = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * day);

/** Of the only passage that holds the word. */
async function importanceIn(runtime: Awaited<ReturnType<TestRuntimes["open"]>>, name: string, word: string) {
  const { hits } = await runtime.archival.search(name, word);
  await runtime.idle();
  if (hits.length !== 1) throw new Error(`${hits.length} passages hold ${word}.`);
  return hits[0]?.explanation?.importance;
}

test("recency halves in 30 days, and what was given counts 0.4, by default 0.4 · 0.5", async () => {
  const runtime = await runtimes.open({ userId: "recency" });
  await runtime.agents.create({ name: "main" });
  await runtime.archival.add("main", "granite");
  await runtime.archival.import("main", [
    { content: "slate", at: ago(30) },
    { content: "basalt", at: ago(60), importance: 1 },
    { content: "marble", at: ago(0), importance: 0 },
    { content: "sandstone", at: ago(3000), importance: 0 },
    // A time to come is no newer than now.
    { content: "chalk", at: ago(-30), importance: 1 },
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

test("the more important is surfaced first where it weighs, and is kept where others must go", async () => {
  const runtime = await runtimes.open({ userId: "kept" });
  await runtime.agents.create({ name: "main" });
  const stone = (name: string, importance: number) => ({ content: `a stone: ${name}`, importance, at: ago(1) });
  await runtime.archival.import("main", [stone("slate", 0.1), stone("granite", 0.9), stone("chalk", 0.5)]);
  const weights = { importance: 10 };
  const { hits } = await runtime.archival.search("main", "stone", { weights });
  expect(hits.map(({ text }) => text)).toEqual(["a stone: granite", "a stone: chalk", "a stone: slate"]);
  await runtime.agents.update("main", { retention: { passages: { rows: 2 } } });
  await runtime.retention.apply("main");
  const { rows } = await runtime.archival.list("main");
  expect(new Set(rows.map(({ content }) => content))).toEqual(new Set(["a stone: granite", "a stone: chalk"]));
});
