// Rows of a long list that are in view.
import { offsetsOf, rowAt, visibleRange } from "../../../src/surfaces/inspector/parts/visible-range.ts";

test("offsets are where rows begin, and where the list ends", () => {
  expect([...offsetsOf([10, 20, 0, 5])]).toEqual([0, 10, 30, 30, 35]);
  expect([...offsetsOf([])]).toEqual([0]);
});

test("the row at a distance", () => {
  const offsets = offsetsOf([10, 20, 5]);
  expect([-5, 0, 9, 10, 29, 30, 99].map((distance) => rowAt(offsets, distance))).toEqual([0, 0, 0, 1, 1, 2, 2]);
  expect(rowAt(offsetsOf([]), 10)).toBe(0);
});

test("the range has every row that the view touches, and no other than the margin allows", () => {
  const heights = Array.from({ length: 10_000 }, (_, at) => 20 + (at % 7) * 10);
  const offsets = offsetsOf(heights);
  for (const top of [0, 137, 250_000, offsets[10_000]! - 400]) {
    const { start, end } = visibleRange(offsets, { top, height: 400 }, 100);
    const touched = heights.flatMap((_, at) => (offsets[at + 1]! > top && offsets[at]! < top + 400 ? [at] : []));
    expect(start).toBeLessThanOrEqual(touched[0]!);
    expect(end).toBeGreaterThan(touched.at(-1)!);
    expect(end - start).toBeLessThan(40);
  }
  expect(visibleRange(offsetsOf([]), { top: 0, height: 400 }, 100)).toEqual({ start: 0, end: 0 });
  expect(visibleRange(offsetsOf([50]), { top: 900, height: 400 }, 100)).toEqual({ start: 0, end: 1 });
});
