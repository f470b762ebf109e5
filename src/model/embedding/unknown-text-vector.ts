// Makes a vector for a text without any known word: empty, only symbols, or in a script outside the model's vocabulary. The
// model would give all such texts the same vector, so that any Chinese question would match any Chinese passage. This vector
// is derived from the text's hash instead, so it is near only to the vector of an equal text.

/** Returns a unit vector with pseudo-random signs: equal texts get equal vectors, others a cosine near 0, such as 0.05. */
export function unknownTextVector(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const next = createBits(hash(text));
  const size = 1 / Math.sqrt(dimensions);
  return Float32Array.from({ length: dimensions }, () => (next() < 0 ? -size : size));
}

/** Returns whether a vector comes from `unknownTextVector`: all its numbers have the same magnitude. */
export function isUnknownTextVector(vector: readonly number[]): boolean {
  const size = Math.abs(vector[0] ?? 0);
  return vector.length > 1 && vector.every((value) => Math.abs(value) === size);
}

/** Returns the 32-bit FNV-1a hash of the code units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state;
}

/** Returns a Mulberry32 generator: 32 random bits per call, as a signed integer. */
function createBits(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return bits ^ (bits >>> 14);
  };
}
