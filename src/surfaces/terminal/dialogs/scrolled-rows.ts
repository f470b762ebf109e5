// Renders the visible part of scrollable rows.
// Invariant: pure; never more than the given rows, the last of which shows how many follow.
import { takeCodePoints } from "../../../base/code-points.ts";
import { type Row, span } from "../rows/row.ts";

/** Maximum code points of a shown text, because each key renders it again. */
const maxCodePoints = 10_000;

/** Returns the beginning of a long text, with the length of the rest. */
export function shownBeginning(text: string): string {
  const shown = takeCodePoints(text, maxCodePoints);
  return shown.length < text.length ? `${shown}\n… (${text.length - shown.length} characters more)` : text;
}

/** Returns the visible rows after scrolling, with a row that counts the remaining ones. */
export function scrolledRows(rows: readonly Row[], scrolled: number, room: number): readonly Row[] {
  if (rows.length <= room) return rows;
  if (room < 1) return [];
  const from = Math.min(scrolled, Math.max(0, rows.length - room));
  const hasMore = from + room < rows.length && room > 1;
  const shown = rows.slice(from, from + room - (hasMore ? 1 : 0));
  return hasMore ? [...shown, [span(`  … ${rows.length - from - shown.length} more rows`, "faint")]] : shown;
}
