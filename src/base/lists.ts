// Functions for lists of any length: a call with more than about 60,000 arguments, such as `push(...items)` or
// `Math.max(...numbers)`, throws a RangeError.

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
