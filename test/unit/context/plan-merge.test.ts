// Which entries of a ring become one, and which of their messages are read again.
import fc from "fast-check";
import { planMerge, type RingEntry } from "../../../src/context/compaction/plan-compaction.ts";

/** Entries that follow each other, of ten messages each. */
const entries = (...sizes: readonly (readonly [summaryTokens: number, rangeTokens: number])[]): readonly RingEntry[] =>
  sizes.map(([summaryTokens, rangeTokens], at) => ({
    summary: `entry ${at}`,
    fromPosition: at * 10 + 1,
    throughPosition: at * 10 + 10,
    summaryTokens,
    rangeTokens,
  }));

const same = (count: number, summaryTokens: number, rangeTokens: number) =>
  entries(...Array.from({ length: count }, () => [summaryTokens, rangeTokens] as const));

const rules = { maxEntries: 8, maxTokens: 1000, batchTokens: 500 };

test.each([
  ["a ring within its bounds", same(8, 125, 100)],
  ["a single entry, however long", same(1, 5000, 100)],
  ["an empty ring", []],
])("nothing is merged: %s", (_name, ring) => {
  expect(planMerge(ring, rules)).toBeNull();
});

test("too many entries: half of the limit stays", () => {
  const ring = same(9, 10, 100);
  expect(planMerge(ring, rules)).toEqual({ merged: ring.slice(0, 5), reread: ring.slice(0, 5) });
});

test("too many tokens: a quarter of the limit stays", () => {
  const ring = same(5, 201, 100);
  expect(planMerge(ring, rules)?.merged).toEqual(ring.slice(0, 4));
});

test("a ring of one entry merges each new one into it", () => {
  const ring = same(2, 1, 100);
  expect(planMerge(ring, { ...rules, maxEntries: 1 })?.merged).toEqual(ring);
});

test("messages are read again as far as they fit, from the newest back, and those of the newest always", () => {
  const ring = entries([300, 4000], [300, 200], [300, 250], [260, 50], [10, 10]);
  expect(planMerge(ring, rules)?.reread).toEqual(ring.slice(1, 4));
  const large = entries([600, 100], [600, 4000]);
  expect(planMerge(large, rules)?.reread).toEqual(large.slice(1));
});

test("the merged entries are the oldest, those read again the newest of them, and the rest is within bounds", () => {
  const size = fc.tuple(fc.nat(400), fc.nat(2000));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (sizes, maxEntries) => {
      const ring = entries(...sizes);
      const plan = planMerge(ring, { ...rules, maxEntries });
      const tokens = (some: readonly RingEntry[]) => some.reduce((sum, one) => sum + one.summaryTokens, 0);
      if (plan === null) {
        expect(ring.length < 2 || (ring.length <= maxEntries && tokens(ring) <= rules.maxTokens)).toBe(true);
        return;
      }
      const { merged, reread } = plan;
      expect(merged).toEqual(ring.slice(0, merged.length));
      expect(merged.length).toBeGreaterThan(1);
      expect(reread).toEqual(merged.slice(-reread.length));
      const rest = ring.slice(merged.length);
      expect(rest.length).toBeLessThanOrEqual(maxEntries / 2);
      expect(tokens(rest)).toBeLessThanOrEqual(rules.maxTokens / 4);
    }),
  );
});
