// The largest and the smallest of numbers, however many there are: a call of `Math.max` with more than about 60,000
// arguments is a RangeError.

/** Returns the largest of the numbers, and of `atLeast`. */
export function largest(numbers: Iterable<number>, atLeast = Number.NEGATIVE_INFINITY): number {
  let found = atLeast;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

/** Returns the smallest of the numbers, and of `atMost`. */
export function smallest(numbers: Iterable<number>, atMost = Number.POSITIVE_INFINITY): number {
  let found = atMost;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}
