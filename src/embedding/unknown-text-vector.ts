// A vector for a text of which the model knows no word: empty, only signs, or in a script outside its vocabulary.
// The model would give all of those one and the same vector, so that any Chinese question would match any Chinese
// passage; drawn from the text's hash instead, such a vector is equal to itself and near to nothing else.

/** A unit vector whose signs are drawn from the text: the same for the same text, else with a cosine of 0 ± 0.05. */
export function unknownTextVector(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const next = createBits(hash(text));
  const size = 1 / Math.sqrt(dimensions);
  return Float32Array.from({ length: dimensions }, () => (next() < 0 ? -size : size));
}

/** FNV-1a over the code units, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state;
}

/** Mulberry32: 32 random bits a call, as a signed integer. */
function createBits(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return bits ^ (bits >>> 14);
  };
}
