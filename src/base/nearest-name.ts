// Suggests an existing name for a mistyped one.

/** Returns the candidate with the fewest edits to `typed`, or undefined if none is near enough to be a typing error. */
export function nearestName(typed: string, candidates: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  const allowed = Math.max(1, Math.floor(Math.min(wanted.length, 30) / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of candidates) {
    if (Math.abs(name.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Returns the advice for an unknown name: the nearest known name, or else all of them after `otherwise`. */
export function nearestHint(typed: string, known: readonly string[], otherwise: string): string {
  const near = nearestName(typed, known);
  return near === undefined ? `${otherwise}: ${known.join(", ")}.` : `Did you mean "${near}"?`;
}

/** Returns the number of insertions, deletions, substitutions and swaps of neighbours between two texts. */
function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const substituted = last[j]! + (one[i] === other[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j];
      const swapped = isSwap ? beforeLast[j - 1]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(substituted, last[j + 1]! + 1, row[j]! + 1, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length]!;
}
