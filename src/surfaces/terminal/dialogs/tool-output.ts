// Ctrl+O: shows tool calls, results, outputs of shell commands and thoughts in full; the chat shows only their first lines.
// Invariant: pure; rows are computed once per width, since a result may be long.
import { appendAll } from "../../../base/lists.ts";
import { takeCodePoints } from "../../../base/code-points.ts";
import { type Row, span } from "../rows/row.ts";
import type { ViewItem } from "../view/view-item.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { Dialog, DialogKey, DialogStep } from "./dialog.ts";

/** Limits: code points per text, and number of calls. */
const maxCodePoints = 200_000;
const maxItems = 200;

type Shown = Extract<ViewItem, { kind: "tool-call" | "tool-result" | "thought" | "shell-output" }>;

/** Returns a dialog that opens at the last call or shell command, else at the last thought; null if there are none. */
export function toolOutput(items: readonly ViewItem[]): Dialog<never> | null {
  const shown = items.filter((item): item is Shown => shownKinds.has(item.kind)).slice(-maxItems);
  if (shown.length === 0) return null;
  const first = shown.findLast(({ kind }) => kind === "tool-call" || kind === "shell-output") ?? shown.at(-1);
  const pages = createPages(shown, first);
  return pagerAt(pages, null);
}

const shownKinds: ReadonlySet<ViewItem["kind"]> = new Set<Shown["kind"]>([
  "tool-call",
  "tool-result",
  "thought",
  "shell-output",
]);

interface Pages {
  /** Returns the rows at a width, and the index of the row at which the dialog opens. */
  at(width: number): { readonly rows: readonly Row[]; readonly start: number };
}

function createPages(items: readonly Shown[], opened: Shown | undefined): Pages {
  let made: { readonly width: number; readonly rows: readonly Row[]; readonly start: number } | null = null;
  return {
    at(width) {
      if (made?.width !== width) {
        let start = 0;
        const rows: Row[] = [];
        for (const item of items) {
          if (item === opened) start = rows.length;
          appendAll(rows, rowsOf(item, width));
        }
        made = { width, rows, start };
      }
      return made;
    },
  };
}

function rowsOf(item: Shown, width: number): readonly Row[] {
  if (item.kind === "tool-call") {
    const head = truncateRow([span("⏺ ", "accent"), span(item.name, "strong")], width);
    return [head, ...wrapText(clipped(item.arguments), "faint", { width, lead: [span("    ")] })];
  }
  if (item.kind === "thought")
    return [...wrapText(clipped(item.text), "faint", { width, lead: [span("✻ ", "faint")] }), []];
  if (item.kind === "shell-output")
    return [...wrapText(clipped(item.text.trimEnd()), "plain", { width, lead: [span("  ⎿ ", "faint")] }), []];
  const tone = item.status === "failed" ? "removed" : "plain";
  return [...wrapText(clipped(item.text.trim()), tone, { width, lead: [span("  ⎿ ", "faint")] }), []];
}

function clipped(text: string): string {
  const taken = takeCodePoints(text, maxCodePoints);
  return taken.length === text.length ? text : `${taken}\n… the rest is not shown`;
}

/** Returns the dialog scrolled to the row `top`; null for the row at which it opens. */
function pagerAt(pages: Pages, top: number | null): Dialog<never> {
  // The last rendered height determines the page size and the end.
  let drawn = { top: 0, room: 1, end: 0 };
  return {
    hints: ["Up, Down scroll", "PgUp, PgDn page", "Home, End", "Esc close"],
    draw({ width, max }) {
      const { rows, start } = pages.at(width);
      const room = Math.max(1, max - 1);
      const end = Math.max(0, rows.length - room);
      const first = Math.min(end, Math.max(0, top ?? start));
      drawn = { top: first, room, end };
      const shown = rows.slice(first, first + room);
      const place = `Tool output and thoughts, rows ${first + 1} to ${first + shown.length} of ${rows.length.toLocaleString("en")}`;
      return { rows: max === 1 ? shown : [truncateRow([span(place, "strong")], width), ...shown] };
    },
    press: (key) => press(pages, drawn, key),
  };
}

function press(
  pages: Pages,
  { top, room, end }: { readonly top: number; readonly room: number; readonly end: number },
  { chord, text }: DialogKey,
): DialogStep<never> {
  if (chord === "escape" || chord === "ctrl+o" || text === "q") return { type: "close", result: null };
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    "ctrl+p": -1,
    "ctrl+n": 1,
    pageup: -room,
    pagedown: room,
    " ": room,
    home: -end,
    end,
  };
  const by = steps[chord === "" ? text : chord] ?? 0;
  return { type: "show", dialog: pagerAt(pages, Math.max(0, Math.min(end, top + by))) };
}
