// Renders the visible part of scrollable rows.
// Invariant: pure; never more than the given rows, the last of which shows how many follow.
import { takeCodePoints } from "../../base/code-points.ts";
import { type Row, span } from "../rows/row.ts";

/** Code points of a text that are shown: it is made into rows with every key. */
const longestText = 10_000;

/** The beginning of a text, which says how much is left out. */
export function shownBeginning(text: string): string {
  const shown = takeCodePoints(text, longestText);
  return shown.length < text.length ? `${shown}\n… (${text.length - shown.length} characters more)` : text;
}

/** What is left after scrolling, within the room, with a row that says how much more there is. */
export function scrolledRows(rows: readonly Row[], scrolled: number, room: number): readonly Row[] {
  if (rows.length <= room) return rows;
  if (room < 1) return [];
  const from = Math.min(scrolled, Math.max(0, rows.length - room));
  const hasMore = from + room < rows.length && room > 1;
  const shown = rows.slice(from, from + room - (hasMore ? 1 : 0));
  return hasMore ? [...shown, [span(`  … ${rows.length - from - shown.length} more rows`, "faint")]] : shown;
}
