// Selects the best k of many items without sorting them all, and scores vectors by their inner product: for unit
// vectors, the cosine of their angle.
// Invariant: pure and exact (equal to sorting by score and taking the first k; at equal scores, later items come
// first), except for the rounding of 64-bit sums.

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

/** Returns the index of the first item whose score is not higher than `score`. */
function placeOf(best: readonly Scored<unknown>[], score: number): number {
  let [from, to] = [0, best.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((best[middle] as Scored<unknown>).score > score) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Returns the inner product of two vectors of the same length. Four independent sums run twice as fast as one, where each
 * addition waits for the previous one.
 */
export function innerProduct(one: Float32Array, other: Float32Array): number {
  const { length } = one;
  const whole = length - (length % 4);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let place = 0; place < whole; place += 4) {
    first += (one[place] as number) * (other[place] as number);
    second += (one[place + 1] as number) * (other[place + 1] as number);
    third += (one[place + 2] as number) * (other[place + 2] as number);
    fourth += (one[place + 3] as number) * (other[place + 3] as number);
  }
  for (let place = whole; place < length; place += 1) first += (one[place] as number) * (other[place] as number);
  return first + second + third + fourth;
}
