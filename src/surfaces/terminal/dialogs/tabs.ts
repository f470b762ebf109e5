// A dialog of several pages, one of which is shown under the row of their titles.
// Invariant: it only shows; a page that is higher than the space scrolls.
import { type Row, rowWidth, span } from "../rows/row.ts";
import { truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogStep } from "./dialog.ts";
import { scrolledRows } from "./scrolled-rows.ts";

export interface Tab {
  readonly title: string;
  /** Its content, as rows of at most this width. */
  rows(width: number): readonly Row[];
}

/** Opens with the first tab. There must be one. */
export function tabs(all: readonly Tab[], shown = 0, top = 0): Dialog<never> {
  let maxTop = top;
  const turned = (by: number): DialogStep<never> => {
    return { type: "show", dialog: tabs(all, (shown + by + all.length) % all.length) };
  };
  const scrolled = (by: number): DialogStep<never> => {
    return { type: "show", dialog: tabs(all, shown, Math.max(0, Math.min(maxTop, top + by))) };
  };
  return {
    hints: ["← → or Tab: other pages", "Up, Down scroll", "Esc close"],
    draw({ width, max }) {
      const rows = all[shown]?.rows(width) ?? [];
      const room = Math.max(1, max - 2);
      maxTop = Math.max(0, rows.length - room);
      const titles = titlesOf(all, shown, width);
      return { rows: [titles, [], ...scrolledRows(rows, top, room)].slice(0, max) };
    },
    press({ chord, text }) {
      if (chord === "escape" || text === "q") return { type: "close", result: null };
      const turn = { right: 1, tab: 1, left: -1, "shift+tab": -1 }[chord];
      if (turn !== undefined) return turned(turn);
      return scrolled({ up: -1, down: 1, pageup: -8, pagedown: 8 }[chord] ?? 0);
    },
  };
}

/** Returns the row of titles; without those before the shown one if not all fit. */
function titlesOf(all: readonly Tab[], shown: number, width: number): Row {
  const spans = all.map(({ title }, at) =>
    at === shown ? span(`[${title}] `, "strong") : span(` ${title}  `, "faint"),
  );
  return truncateRow(rowWidth(spans) > width ? spans.slice(shown) : spans, width);
}
