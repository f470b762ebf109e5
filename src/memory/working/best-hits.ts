// Selects the best k of many items without sorting them all.
// Invariant: pure and exact: equal to sorting by score and taking the first k; at equal scores, later items come first.

export interface Scored<Item> {
  readonly item: Item;
  readonly score: number;
}

/** Returns the `k` best items, best first. A `score` of null excludes the item. */
export function bestOf<Item>(
  items: Iterable<Item>,
  k: number,
  score: (item: Item) => number | null,
): readonly Scored<Item>[] {
  const best: Scored<Item>[] = [];
  for (const item of items) {
    const reached = score(item);
    if (reached === null) continue;
    if (best.length === k && reached < (best.at(-1) as Scored<Item>).score) continue;
    best.splice(placeOf(best, reached), 0, { item, score: reached });
    if (best.length > k) best.pop();
  }
  return best;
}

/** Index before the first item whose score is not higher. */
function placeOf(best: readonly Scored<unknown>[], score: number): number {
  let [from, to] = [0, best.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((best[middle] as Scored<unknown>).score > score) from = middle + 1;
    else to = middle;
  }
  return from;
}
