// Creates a dialog with rows that scroll between a fixed head and a fixed foot: a question, pages of help, tool output.
// Invariant: scrolling ends at the last row; a key without a meaning does nothing.
import { takeCodePoints } from "../../../base/code-points.ts";
import { itemRows } from "../rows/item-rows.ts";
import { type Row, rowWidth, span } from "../rows/row.ts";
import { flatText, truncateRow } from "../rows/wrap.ts";
import type { ViewItem } from "../view/view-item.ts";
import { type Dialog, type DialogStep, lineSteps } from "./dialog.ts";
import type { Key } from "../keys/key-codes.ts";

export interface Pages<Result> {
  readonly hints: readonly string[];
  rows(width: number): readonly Row[];
  /** Returns the fixed rows above the scrolled ones; `place` says which rows are shown: `rows 5 to 13 of 107`. */
  head?(width: number, place: string): readonly Row[];
  foot?(width: number): readonly Row[];
  /** Returns the index of the first visible row when the pager opens. Default 0. */
  start?(width: number): number;
  /** Returns what the dialog does after a key (its chord or text); null for a key that scrolls or does nothing. */
  answer(key: string): DialogStep<Result> | null;
}

/** Returns a dialog that shows the pages, scrolled to the row `top`; null: to the row that `start` returns. */
export function pager<Result>(pages: Pages<Result>, top: number | null = null): Dialog<Result> {
  // The height of the last drawing determines how far a page scrolls, and where scrolling ends.
  let drawn = { first: 0, room: 1, end: 0 };
  return {
    hints: pages.hints,
    draw({ width, max }) {
      const rows = pages.rows(width);
      const foot = pages.foot?.(width) ?? [];
      const headRows = pages.head?.(width, "").length ?? 0;
      const room = Math.max(1, max - headRows - foot.length);
      const end = Math.max(0, rows.length - room);
      const first = Math.min(end, Math.max(0, top ?? pages.start?.(width) ?? 0));
      drawn = { first, room, end };
      const shown = scrolledRows(rows, first, room);
      const head =
        pages.head?.(width, `rows ${first + 1} to ${Math.min(rows.length, first + room)} of ${rows.length}`) ?? [];
      return { rows: [...head.slice(0, max - 1), ...shown, ...foot].slice(-max) };
    },
    press: (key) => pages.answer(keyOf(key)) ?? { type: "show", dialog: pager(pages, scrolled(drawn, keyOf(key))) },
  };
}

function keyOf({ chord, text }: Key): string {
  return chord === "" ? text : chord;
}

function scrolled({ first, room, end }: { readonly first: number; room: number; end: number }, key: string): number {
  const steps: Readonly<Record<string, number>> = {
    ...lineSteps,
    pageup: -room,
    pagedown: room,
    " ": room,
    home: -end,
    end,
  };
  return Math.max(0, Math.min(end, first + (steps[key] ?? 0)));
}

/** Maximum code points of a shown text, because each key renders it again. */
const maxCodePoints = 10_000;

/** Returns the beginning of a long text, at most `max` code points, with the length of the rest. */
export function shownBeginning(text: string, max = maxCodePoints): string {
  const shown = takeCodePoints(text, max);
  return shown.length < text.length ? `${shown}\n… (${text.length - shown.length} characters more)` : text;
}

/** Returns the visible rows after scrolling. If more rows follow, the last visible row says how many. */
export function scrolledRows(rows: readonly Row[], scrolled: number, room: number): readonly Row[] {
  if (rows.length <= room) return rows;
  if (room < 1) return [];
  const from = Math.min(scrolled, Math.max(0, rows.length - room));
  const hasMore = from + room < rows.length && room > 1;
  const shown = rows.slice(from, from + room - (hasMore ? 1 : 0));
  return hasMore ? [...shown, [span(`  … ${rows.length - from - shown.length} more rows`, "faint")]] : shown;
}

/** Renders ` persona  [human]  notes `. If the tabs do not fit, the row starts with the open tab. */
export function tabRow(titles: readonly string[], open: number, width: number): Row {
  const spans = titles.map((title, at) =>
    at === open ? span(`[${flatText(title)}] `, "accent") : span(` ${flatText(title)}  `, "faint"),
  );
  return truncateRow(rowWidth(spans.slice(0, open + 1)) <= width ? spans : spans.slice(open), width);
}

export interface Question {
  readonly text: string;
  /** The items that the question is about. */
  readonly items: readonly ViewItem[];
}

/** Returns a dialog that ends with true for yes and false for no. Only `y` is a yes; a repeated Enter does nothing. */
export function questionDialog({ text, items }: Question): Dialog<boolean> {
  return pager({
    hints: ["y yes", "n no", "Up, Down look through it"],
    // The blank first row is dropped, because a dialog already has a blank row above it.
    rows: (width) => items.flatMap((item) => itemRows(item, width)).slice(1),
    foot: (width) => [truncateRow([span(text, "warning"), span(" (y/n)", "faint")], width)],
    answer(key) {
      if (key === "escape" || key.toLowerCase() === "n") return { type: "close", result: false };
      return key.toLowerCase() === "y" ? { type: "close", result: true } : null;
    },
  });
}
