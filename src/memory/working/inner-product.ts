// The inner product of two vectors: for unit vectors, the cosine of their angle.
// Invariant: exact except for the rounding of 64-bit sums.

/**
 * Both must have the same length. Four independent sums run twice as fast as one, where each addition waits for the
 * previous one.
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
