// Ctrl+O: shows tool calls, results, outputs of shell commands and thoughts in full; the chat shows only their first lines.
// Invariant: pure; rows are computed once per width, since a result may be long.
import { appendAll } from "../../../base/lists.ts";
import { takeCodePoints } from "../../../base/code-points.ts";
import { type Row, span } from "../rows/row.ts";
import type { ViewItem } from "../view/view-item.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { Dialog } from "./dialog.ts";
import { pager } from "./pager.ts";

/** Limits: code points per text, and number of calls. */
const maxCodePoints = 200_000;
const maxItems = 200;

type Shown = Extract<ViewItem, { kind: "tool-call" | "tool-result" | "thought" | "shell-output" }>;

/** Returns a dialog that opens at the last call or shell command, else at the last item; null without items. */
export function toolOutput(items: readonly ViewItem[]): Dialog<never> | null {
  const shown = items.filter((item): item is Shown => shownKinds.has(item.kind)).slice(-maxItems);
  if (shown.length === 0) return null;
  const first = shown.findLast(({ kind }) => kind === "tool-call" || kind === "shell-output") ?? shown.at(-1);
  const pages = createPages(shown, first);
  return pager<never>({
    hints: ["Up, Down scroll", "PgUp, PgDn page", "Home, End", "Esc close"],
    rows: (width) => pages.at(width).rows,
    start: (width) => pages.at(width).start,
    head: (width, place) => [truncateRow([span(`Tool output and thoughts, ${place}`, "strong")], width)],
    answer: (key) => (closing.has(key) ? { type: "close", result: null } : null),
  });
}

const closing: ReadonlySet<string> = new Set(["escape", "ctrl+o", "q"]);

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
