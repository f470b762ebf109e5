// Archival memory as a program uses it, through the real store: filters, explanations, and from one agent to another.
import type { RequestError } from "../../src/base/errors.ts";
import type { PassageInput } from "../../src/runtime/archival/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { runInWorld } from "../support/fake-world.ts";
import { createTestRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
let runtime: Runtime;

beforeAll(async () => {
  runtime = await runtimes.open();
  await runtime.agents.create({ name: "main" });
  await runtime.archival.import("main", boats);
});

const boats: readonly PassageInput[] = [
  {
    text: "The red boat lies in Lisbon",
    tags: ["boat", "red"],
    importance: 0.9,
    at: new Date("2026-01-10T12:00:00Z"),
  },
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
