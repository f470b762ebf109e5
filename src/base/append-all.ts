// Lists of any length, without `push(...items)`: a call with more than about 60,000 arguments is a RangeError.

/** Appends the items to the list. */
export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
