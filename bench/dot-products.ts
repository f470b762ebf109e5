// The floor of an exact search by meaning: bare inner products over one array, and the selection of the best.

/** Concatenated vectors, compared with each query. */
export function bareSearch(flat: Float32Array, width: number): (query: Float32Array, k: number) => readonly number[] {
  const count = flat.length / width;
  const scores = new Float64Array(count);
  return (query, k) => {
    for (let row = 0; row < count; row += 1) {
      const from = row * width;
      let [even, odd] = [0, 0];
      for (let place = 0; place < width; place += 2) {
        even += flat[from + place]! * query[place]!;
        odd += flat[from + place + 1]! * query[place + 1]!;
      }
      scores[row] = even + odd;
    }
    const best: number[] = [];
    for (let row = 0; row < count; row += 1) {
      if (best.length === k && scores[row]! <= scores[best.at(-1)!]!) continue;
      const at = best.findIndex((other) => scores[other]! < scores[row]!);
      best.splice(at < 0 ? best.length : at, 0, row);
      best.length = Math.min(best.length, k);
    }
    return best;
  };
}
