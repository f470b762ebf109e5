// What working memory takes of the process, as the process counts it: several times as many texts go in as it can hold, it never
// has more than its cap, and a search of what is left is still the same as comparing all of it. WORKING_INSERTS: how many go in.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WorkingMemory } from "../../../src/memory/working/working-memory.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes on the heap and in typed arrays. */
function heldBytes(): number {
  for (let time = 0; time < 3; time += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const dimensions = 512;
const inserts = Number(process.env["WORKING_INSERTS"] || 25_000);
/** Numbers that look like chance, more than there are texts. */
const noise = ((): readonly number[] => {
  let state = 1;
  return Array.from({ length: inserts + dimensions }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return ((state >>> 8) / 2 ** 24 - 0.5) / Math.sqrt(dimensions / 12);
  });
})();

/** Another piece of them for each number in a text: no two alike, cheap to make, of about length 1. */
function vectorOf(text: string): readonly number[] {
  const from = Number(/\d+/u.exec(text)?.[0] ?? 0) % inserts;
  return noise.slice(from, from + dimensions);
}

const product = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);

const users = 50;
const userOf = (number: number): string => `user ${number % users}`;
const factOf = (number: number): string => `fact ${number}: ${"what a tool has said ".repeat(number % 20)}`;

/** Of the newest texts, those of one user, by the plain product of all numbers, best first. */
function nearestByAll(query: string, { user, held }: { readonly user: string; readonly held: number }) {
  const asked = vectorOf(query);
  return Array.from({ length: held }, (_, back) => inserts - 1 - back)
    .filter((number) => userOf(number) === user)
    .map((number) => ({ id: `message ${number}`, score: product(asked, vectorOf(factOf(number))) }))
    .sort((one, other) => other.score - one.score);
}

it.each([
  ["vectors keep up", 500],
  ["texts come faster than vectors", inserts],
])("stays within 10 MB over all inserts, measured, when %s", async (_, burst) => {
  const embedder = {
    name: "test/cheap",
    dimensions,
    embed: async (texts: readonly string[]) => texts.map(vectorOf),
    close: async () => undefined,
  };
  vectorOf("1");
  const before = heldBytes();
  const memory = new WorkingMemory({ embedder });
  for (let number = 0; number < inserts; number += 1) {
    memory.add({ text: factOf(number), source: `tool ${number % 7}`, user: userOf(number), id: `message ${number}` });
    if (number % burst === burst - 1) await memory.idle();
    if (memory.bytes > 10_000_000) throw new Error(`${memory.bytes} bytes after ${number} inserts`);
  }
  await memory.idle();
  expect(memory.waiting).toBe(0);
  const held = heldBytes() - before;
  expect(held).toBeLessThanOrEqual(10_000_000);
  expect(memory.bytes).toBeGreaterThan(9_990_000 - 5000);
  for (const query of [factOf(inserts - 1), factOf(3), "fact 54321", "nothing of the kind"]) {
    for (const user of [userOf(inserts - 1), userOf(17)]) {
      const { hits } = await memory.search(query, { user, k: 20 });
      const expected = nearestByAll(query, { user, held: memory.size }).slice(0, 20);
      expect(hits.map(({ id, score, by }) => [id, score, by])).toEqual(
        expected.map(({ id, score }) => [id, expect.closeTo(score, 6), "meaning"]),
      );
    }
  }
  const { hits } = await memory.search(factOf(inserts - 1), { user: userOf(inserts - 1), k: 1 });
  expect(hits).toMatchObject([{ id: `message ${inserts - 1}`, score: expect.closeTo(1, 0) }]);
  await memory.close();
});
