// Users in one working memory, against a plain list: whatever is added, taken out and pushed out by whom, each finds what is theirs
// and still there, and nothing else.
import { WorkingMemory } from "../../../src/memory/working/working-memory.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createSharedWordsEmbedder } from "../../support/shared-words-embedder.ts";

interface Held {
  readonly user: string;
  readonly id: string;
  readonly bytes: number;
}

const [dimensions, cap] = [8, 20_000];
const users = ["ada", "ada:1", ":1", "1", "%", "*"];
const textOf = (user: string): string => `the words of [${user}]`;
const sumOf = (held: readonly Held[]): number => held.reduce((sum, { bytes }) => sum + bytes, 0);

/** The newest of them that the cap has room for. */
function withinCap(held: readonly Held[]): readonly Held[] {
  let left = held;
  while (sumOf(left) > cap) left = left.slice(1);
  return left;
}

/** One act on both; the list as it is then. */
function act(memory: WorkingMemory, held: readonly Held[], chance: (below: number) => number): readonly Held[] {
  const [user, id, which] = [users[chance(users.length)] ?? "", `${chance(40)}`, chance(20)];
  if (which === 0) {
    memory.clear(user);
    return held.filter((entry) => entry.user !== user);
  }
  if (which < 4) {
    memory.remove(user, [id]);
    return held.filter((entry) => entry.user !== user || entry.id !== id);
  }
  const isNew = memory.add({ text: textOf(user), source: "user", user, id });
  expect(isNew).toBe(!held.some((entry) => entry.user === user && entry.id === id));
  const bytes = 4 * dimensions + 2 * (textOf(user).length + "user".length + id.length) + 640;
  return isNew ? withinCap([...held, { user, id, bytes }]) : held;
}

test.each([7, 8, 9])("600 actions of six users, with seed %d", async (seed) => {
  let state = seed;
  const chance = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const embedder = createSharedWordsEmbedder(dimensions);
  const memory = new WorkingMemory({ embedder, maxMemoryMb: cap / 1e6, clock: createManualClock() });
  let held: readonly Held[] = [];
  for (let step = 1; step <= 600; step += 1) {
    held = act(memory, held, chance);
    if (step % 50 !== 0) continue;
    await memory.idle();
    expect([memory.size, memory.bytes]).toEqual([held.length, sumOf(held)]);
    for (const user of users) {
      const { hits } = await memory.search("words", { user, k: 1000 });
      const expected = held.filter((entry) => entry.user === user).map(({ id }) => `${id}: ${textOf(user)}`);
      expect(hits.map(({ id, text }) => `${id}: ${text}`).toSorted()).toEqual(expected.toSorted());
    }
  }
  await memory.close();
});
