// How a list is read page by page until enough items are wanted.
import { type ListRange, readWanted } from "../../../src/surfaces/http/letta/pages.ts";

const all = Array.from({ length: 2500 }, (_, at) => ({ id: String(at) }));
type Item = (typeof all)[number];

/** Reads a part of the list, and records the sizes of the pages. */
function openList() {
  const sizes: number[] = [];
  const read = async ({ after, before, limit }: Omit<ListRange, "order">): Promise<readonly Item[]> => {
    sizes.push(limit);
    const part = all.slice(
      after === undefined ? 0 : Number(after) + 1,
      before === undefined ? undefined : Number(before),
    );
    return before !== undefined && after === undefined ? part.slice(-limit) : part.slice(0, limit);
  };
  return { sizes, read };
}

const among = (...ids: readonly string[]) => ({ isWanted: ({ id }: Item) => ids.includes(id) });

test("if all items are wanted, one page of as many items is read", async () => {
  const { sizes, read } = openList();
  const found = await readWanted({ limit: 2, after: "9" }, { isWanted: () => true }, read);
  expect([found.map(({ id }) => id), sizes]).toEqual([["10", "11"], [2]]);
});

test("if few items are wanted, further pages have at least a hundred items", async () => {
  const { sizes, read } = openList();
  const found = await readWanted({ limit: 2 }, among("150", "290"), read);
  expect([found.map(({ id }) => id), sizes]).toEqual([
    ["150", "290"],
    [2, 100, 100, 100],
  ]);
});

test("a page has at most a thousand items, whatever the limit is", async () => {
  const { sizes, read } = openList();
  expect(await readWanted({ limit: 1_000_000 }, { isWanted: () => true }, read)).toEqual(all);
  expect(sizes).toEqual([1000, 1000, 1000]);
});

test("with `before` alone, pages are read backwards, and their items stay in order", async () => {
  const { sizes, read } = openList();
  const found = await readWanted({ limit: 2, before: "1000" }, among("940", "990", "1200"), read);
  expect([found.map(({ id }) => id), sizes]).toEqual([
    ["940", "990"],
    [2, 100],
  ]);
});

test("reading ends at a page of at least a hundred items that are all past", async () => {
  const { sizes, read } = openList();
  const isPast = ({ id }: Item) => Number(id) >= 50;
  expect(await readWanted({ limit: 1 }, { ...among("10", "2400"), isPast }, read)).toEqual([{ id: "10" }]);
  expect(await readWanted({ limit: 2 }, { ...among("10", "2400"), isPast }, read)).toEqual([{ id: "10" }]);
  expect(sizes).toEqual([1, 100, 2, 100, 100]);
});
