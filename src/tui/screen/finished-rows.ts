// The rows of finished items: those still to be drawn, and those that may still be on the screen.
// Invariant: each row is given out once, in order, except for rows on a screen that is redrawn.
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import { itemRows } from "../rows/item-rows.ts";
import { themes } from "../rows/theme.ts";
import type { Row } from "../rows/row.ts";
import { type Line, lineOf } from "./line.ts";

export interface FinishedRows {
  /** Returns the next rows, of about that many bytes, but at least one unless there is none. */
  take(state: ViewState, maxBytes: number): readonly Line[];
  /** Whether rows are left. */
  hasMore(): boolean;
  /**
   * Gives out again the rows in the `lines` lines of a screen above the live region. Returns how many lines these rows take.
   * `columns`: a terminal that has become narrower has wrapped them.
   */
  takeBack(lines: number, columns: number): number;
}

/** A row of a finished item. */
interface FinishedRow {
  /** The item, as an index of the chat's items, and which of its rows. */
  readonly item: number;
  readonly row: number;
  /** The number of rows of the item. */
  readonly of: number;
  readonly line: Line;
}

/** Where to go on: with the item, at one of its rows. */
interface Start {
  readonly item: number;
  readonly rowOf: (rows: readonly Row[]) => number;
}

/** Moving to a line takes about as many bytes. */
const bytesPerLine = 8;
/** More rows than any screen has. */
const maxRemembered = 500;

/** Begins with the first item, or, for a cleared screen, with the first row of those that fill the screen. */
export function createFinishedRows(opening: ViewState): FinishedRows {
  let start: Start = opening.redraws === 0 ? { item: 0, rowOf: () => 0 } : fittingStart(opening);
  let pending: readonly FinishedRow[] = [];
  let drawn: readonly FinishedRow[] = [];
  return {
    take(state, maxBytes) {
      pending = [...pending, ...rowsFrom(state, start)];
      start = { item: state.items.length, rowOf: () => 0 };
      let bytes = 0;
      let count = 0;
      for (; count < pending.length && (count === 0 || bytes < maxBytes); count += 1)
        bytes += (pending[count]?.line.cells.length ?? 0) + bytesPerLine;
      const taken = pending.slice(0, count);
      pending = pending.slice(count);
      drawn = [...drawn, ...taken].slice(-maxRemembered);
      return taken.map(({ line }) => line);
    },
    hasMore: () => pending.length > 0,
    takeBack(lines, columns) {
      let height = 0;
      let count = 0;
      for (; count < drawn.length && height < lines; count += 1)
        height += wrappedHeight(drawn.at(-1 - count)?.line, columns);
      const top = drawn[drawn.length - count];
      const first = top ?? pending[0];
      if (first !== undefined)
        start = { item: first.item, rowOf: (rows) => Math.floor((rows.length * first.row) / first.of) };
      // The beginning of a wrapped row stays in the scrollback, from which a higher screen may bring it back.
      const rest = top === undefined || height <= lines ? [] : [beginningOf(top, (height - lines) * columns)];
      drawn = [...drawn.slice(0, drawn.length - count), ...rest];
      pending = [];
      return height;
    },
  };
}

function beginningOf(row: FinishedRow, columns: number): FinishedRow {
  return { ...row, line: { ...row.line, cells: row.line.cells.slice(0, columns) } };
}

/** Returns the screen lines of a line after a terminal has wrapped it. */
export function wrappedHeight(line: Line | undefined, columns: number): number {
  return Math.max(1, Math.ceil((line?.cells.length ?? 0) / columns));
}

/** Converts a row, with the theme of the chat. */
export function toLine(row: Row, { size, theme }: ViewState): Line {
  // The last column stays free: some terminals wrap a line that fills it.
  return lineOf(row, themes[theme], Math.max(1, size.columns - 1));
}

function rowsFrom(state: ViewState, start: Start): readonly FinishedRow[] {
  return state.items.slice(start.item).flatMap((item, index) => {
    const rows = itemRows(item, contentWidth(state.size));
    const place = { item: start.item + index, of: rows.length };
    return rows
      .map((row, at): FinishedRow => ({ ...place, row: at, line: toLine(row, state) }))
      .slice(index === 0 ? start.rowOf(rows) : 0);
  });
}

function fittingStart({ items, size }: ViewState): Start {
  let rows = 0;
  let item = items.length;
  while (item > 0 && rows < size.rows) {
    item -= 1;
    const next = items[item];
    if (next !== undefined) rows += itemRows(next, contentWidth(size)).length;
  }
  return { item, rowOf: () => Math.max(0, rows - size.rows) };
}
