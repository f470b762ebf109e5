// The best few of many: the same as sorting all of them, of equals the later first.
import { bestOf } from "../../../src/memory/working/best-hits.ts";

test("of equals the later ones are kept, and come first", () => {
  const items = ["a", "b", "c", "d"];
  expect(bestOf(items, 2, () => 1).map(({ item }) => item)).toEqual(["d", "c"]);
  expect(bestOf(items, 9, () => 1).map(({ item }) => item)).toEqual(["d", "c", "b", "a"]);
});

test("excluded items are left out, and fewer than k are returned as they are", () => {
  expect(bestOf([1, 2, 3], 2, (item) => (item === 2 ? null : item))).toEqual([
    { item: 3, score: 3 },
    { item: 1, score: 1 },
  ]);
  expect(bestOf([], 2, () => 1)).toEqual([]);
});

test.each([1, 2, 5, 99, 100, 101])("with k = %d it equals sorting", (k) => {
  const items = Array.from({ length: 100 }, (_, number) => ({ number, score: (number * 37) % 11 }));
  const sorted = items.toSorted((one, other) => other.score - one.score || other.number - one.number);
  expect(bestOf(items, k, ({ score }) => score).map(({ item }) => item)).toEqual(sorted.slice(0, k));
});
