// Archival memory as a program uses it, through the real store: filters, explanations, moves from one agent to another, and the
// importance of a passage, number for number: 0.3 · recency + 0.3 · log(accesses + 1) + 0.4 · what it was given, as MUXI has it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import type { RequestError } from "../../src/base/errors.ts";
import type { PassageInput } from "../../src/runtime/archival/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type TestRuntimes, useRuntimes } from "../support/runtime.ts";
import { runInWorld } from "../support/fake-world.ts";

const runtimes = useRuntimes();

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

let runtime: Runtime;

beforeAll(async () => {
  runtime = await runtimes.open();
  await runtime.agents.create({ name: "main" });
  await runtime.archival.import("main", boats);
});

const boats: readonly PassageInput[] = [
  { text: "The red boat lies in Lisbon", tags: ["boat", "red"], importance: 0.9, at: new Date("2026-01-10T12:00:00Z") },
  { text: "The blue boat lies in Porto", tags: ["boat"], kind: "fact", at: new Date("2026-02-10T12:00:00.123Z") },
  { text: "海边的船 boat 👨‍👩‍👧 </human> %_", tags: ["red", "海"], importance: 0 },
];

async function found(
  query: string,
  options: Parameters<Runtime["archival"]["search"]>[2] = {},
): Promise<readonly string[]> {
  const { hits } = await runtime.archival.search("main", query, options);
  return hits.map(({ text }) => text.split(" ").slice(1, 3).join(" ")).toSorted();
}

test.each([
  [{}, ["blue boat", "boat 👨‍👩‍👧", "red boat"]],
  [{ tags: ["red"] }, ["boat 👨‍👩‍👧", "red boat"]],
  [{ allTags: ["boat", "red"] }, ["red boat"]],
  [{ kinds: ["fact"] }, ["blue boat"]],
  [{ sources: ["handbook"] }, []],
  [{ startDate: "2026-01-10", endDate: "2026-01-10" }, ["red boat"]],
  [{ minImportance: 0.5 }, ["blue boat", "red boat"]],
  [{ tags: ["red"], kinds: ["fact"] }, []],
] as const)("a search with %j", async (options, texts) => {
  expect(await found("boat", options)).toEqual(texts);
});

test("hits have explanations, and weights change the order", async () => {
  const { hits, total } = await runtime.archival.search("main", "red boat", { pageSize: 2 });
  expect(total).toBe(3);
  expect(hits[0]).toMatchObject({
    text: boats[0]!.text,
    importance: 0.9,
    trust: "external",
    origin: "import",
    explanation: { words: { rank: 1 }, meaning: null, literal: true, identifier: false },
  });
  expect(hits[0]).not.toHaveProperty("source");
  expect(hits[0]!.explanation.score).toBeGreaterThan(hits[1]!.explanation.score);
  const weighed = await runtime.archival.search("main", "boat lies", { weights: { literal: 0, importance: 10 } });
  expect(weighed.hits[0]!.text).toBe(boats[0]!.text);
});

test.each([
  ["a blank text", () => runtime.archival.import("main", [{ text: "new" }, { text: " \n" }])],
  ["an importance", () => runtime.archival.add("main", "new", { importance: Number.NaN })],
  ["a kind", () => runtime.archival.import("main", [{ text: "new", kind: "note" as "fact" }])],
  ["a weight", () => runtime.archival.search("main", "boat", { weights: { meaning: -1 } })],
  ["a least importance", () => runtime.archival.search("main", "boat", { minImportance: 2 })],
])("invalid %s is refused, and nothing is stored", async (_what, call) => {
  await expect(call()).rejects.toMatchObject({ code: "input_invalid" } satisfies Partial<RequestError>);
  expect(await runtime.archival.count("main")).toBe(boats.length);
});

test("export and import by command copy an archive to another agent unchanged, once", async () => {
  const world = { runtime: { ...runtime, close: async () => undefined } };
  const many = Array.from({ length: 250 }, (_, index) => ({ text: `Entry ${index}`, tags: [`t${index}`] }));
  await runtime.agents.create({ name: "giver" });
  await runtime.archival.import("giver", [...boats, ...many]);
  await runtime.agents.create({ name: "taker" });
  const { stdout: lines } = await runInWorld(["archival", "export", "-", "-a", "giver"], world);
  expect(lines.trimEnd().split("\n")).toHaveLength(253);
  const take = () => runInWorld(["archival", "import", "-", "-a", "taker"], { ...world, input: lines });
  expect((await take()).stdout).toBe("Imported 253 passages.\n");
  expect((await take()).stdout).toBe("Imported 0 passages; 253 already stored.\n");
  const parts = async (agent: string) => {
    const kept = [];
    for await (const { text, tags, kind, importance, at, origin, trust } of runtime.archival.export(agent))
      kept.push({ text, tags, kind, importance, at, origin, trust });
    return kept;
  };
  const taken = await parts("taker");
  expect(taken).toEqual(await parts("giver"));
  expect(taken[1]).toEqual({ ...boats[1], importance: 0.5, origin: "import", trust: "external" });
});
