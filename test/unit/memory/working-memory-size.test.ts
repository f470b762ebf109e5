// What working memory takes of the process, as the process counts it: 100,000 texts go in, and it never has more than its cap.
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
const inserts = 100_000;
/** Cheap to make, and different for each text. */
function vectorOf(text: string): readonly number[] {
  const place = Number(/\d+/u.exec(text)?.[0] ?? 0) % dimensions;
  return Array.from({ length: dimensions }, (_, at) => (at === place ? 1 : 0));
}

it.each([
  ["vectors keep up", 500],
  ["texts come faster than vectors", inserts],
])("holds its cap of 10 MB over 100,000 inserts, measured, when %s", async (_, burst) => {
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
    const text = `fact ${number}: ${"what a tool has said ".repeat(number % 20)}`;
    memory.add({ text, source: `tool ${number % 7}`, user: `user ${number % 50}`, id: `message ${number}` });
    if (number % burst === burst - 1) await memory.idle();
    if (memory.bytes > 10_000_000) throw new Error(`${memory.bytes} bytes after ${number} inserts`);
  }
  await memory.idle();
  expect(memory.waiting).toBe(0);
  const held = heldBytes() - before;
  expect(held).toBeLessThanOrEqual(10_000_000);
  expect(memory.bytes).toBeGreaterThan(9_990_000 - 5000);
  const { hits } = await memory.search(`fact ${inserts - 1}`, { user: `user ${(inserts - 1) % 50}`, k: 1 });
  expect(hits).toMatchObject([{ id: `message ${inserts - 1}`, score: 1 }]);
  await memory.close();
});
