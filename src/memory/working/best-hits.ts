// The best few of many, without sorting them all.
// Invariant: pure; exact: the same as sorting by score and taking the first, of equals the later one first.

export interface Scored<Item> {
  readonly item: Item;
  readonly score: number;
}

/** The `k` best, best first. `score` null: not in question. */
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

/** Before the first whose score is not higher. */
function placeOf(best: readonly Scored<unknown>[], score: number): number {
  let [from, to] = [0, best.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((best[middle] as Scored<unknown>).score > score) from = middle + 1;
    else to = middle;
  }
  return from;
}
