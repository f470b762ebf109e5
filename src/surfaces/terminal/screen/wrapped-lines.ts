// Where lines are after a terminal has become narrower and has wrapped them.
// Invariant: pure. A line that is the beginning of another one is not counted: the other one is.
import { type Picture, placeOf } from "./frame-diff.ts";
import type { Line } from "./line.ts";

/** The beginning of a line, of which the rest was drawn again. */
interface Beginning extends Line {
  readonly isBeginning?: true;
}

/** Returns the rows of a screen that a line takes. */
function wrappedHeight({ cells }: Line, columns: number): number {
  return Math.max(1, Math.ceil(cells.length / columns));
}

/** Returns the rows of a region above the cursor's. */
export function linesAboveCursor(drawn: Picture, columns: number): number {
  const { x, y } = placeOf(drawn);
  const above = drawn.lines.slice(0, y).map((line) => wrappedHeight(line, columns));
  return above.reduce((sum, height) => sum + height, Math.floor(x / columns));
}

/** Returns how many of the last lines are in that many rows, the rows that they take, and how many of them are whole lines. */
export function takenBack(
  lines: readonly Beginning[],
  rows: number,
  columns: number,
): { readonly count: number; readonly height: number; readonly lines: number } {
  let height = 0;
  let count = 0;
  let whole = 0;
  for (let line = lines.at(-1); line !== undefined && height < rows; line = lines.at(-1 - count)) {
    height += wrappedHeight(line, columns);
    whole += line.isBeginning ? 0 : 1;
    count += 1;
  }
  return { count, height, lines: whole };
}

/** Returns the columns of a line that are still above the screen. */
export function beginningOf(line: Line, columns: number): Beginning {
  return { ...line, cells: line.cells.slice(0, columns), isBeginning: true };
}

/** Returns a picture without its first lines. */
export function withoutTop({ lines, cursor }: Picture, count: number): Picture {
  return { lines: lines.slice(count), cursor: cursor && { x: cursor.x, y: cursor.y - count } };
}
