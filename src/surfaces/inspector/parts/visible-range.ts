// Finds the rows of a long list that are in view, if rows have different heights.
// Invariant: pure; offsets never decrease, and have one entry more than there are rows.

/** Returns the offset of each row's beginning, and as the last entry the end of the list, in pixels. */
export function offsetsOf(heights: readonly number[]): Float64Array {
  const offsets = new Float64Array(heights.length + 1);
  for (let at = 0; at < heights.length; at += 1) offsets[at + 1] = offsets[at]! + heights[at]!;
  return offsets;
}

/** Returns the rows from `start` to before `end` that are in view, or at most `margin` pixels away from the view. */
export function visibleRange(
  offsets: Float64Array,
  view: { readonly top: number; readonly height: number },
  margin: number,
) {
  const rows = offsets.length - 1;
  const start = Math.min(Math.max(0, rows - 1), rowAt(offsets, view.top - margin));
  const end = Math.min(rows, rowAt(offsets, view.top + view.height + margin) + 1);
  return { start, end: Math.max(start, end) };
}

/** Returns the row at a distance from the beginning; the first or last one for a distance outside of the list. */
export function rowAt(offsets: Float64Array, distance: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (offsets[middle]! <= distance) low = middle;
    else high = middle - 1;
  }
  return low;
}
