// Processes lists of any length without passing their items as arguments: a call with more than about 60,000 arguments,
// such as `push(...items)` or `Math.max(...numbers)`, throws a RangeError.

export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** Returns the items grouped by key. The items of one key keep their order. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Yields the items in batches of `size`; the last may have fewer. */
export function* inBatches<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[], void> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Maximum number of records that a request for a list may ask for. */
const maxPage = 1000;

/** Reads at most `limit` records of a list in pages. `read` returns the records after the one with the id `after`. */
export async function readPages<Item extends { readonly id: string }>(
  limit: number,
  read: (page: { readonly limit: number; readonly after?: string }) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let isLast = false; !isLast && all.length < limit; ) {
    const last = all.at(-1);
    const page = { limit: Math.min(limit - all.length, maxPage), ...(last === undefined ? {} : { after: last.id }) };
    const found = await read(page);
    appendAll(all, found);
    isLast = found.length < page.limit;
  }
  return all;
}

export function largest(numbers: Iterable<number>, atLeast = Number.NEGATIVE_INFINITY): number {
  let found = atLeast;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

export function smallest(numbers: Iterable<number>, atMost = Number.POSITIVE_INFINITY): number {
  let found = atMost;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}

/** Returns the first item of each list, then the second of each, and so on. */
export function inTurn<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const lengths = lists.map((list) => list.length);
  return Array.from({ length: largest(lengths, 0) }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
