// Ctrl+O: shows tool calls, results, outputs of shell commands and thoughts in full; the chat shows only their first lines.
// Invariant: pure; rows are computed once per width, since a result may be long.
import { takeCodePoints } from "../../../base/code-points.ts";
import { type Row, span } from "../rows/row.ts";
import type { ViewItem } from "../view/view-item.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { Dialog } from "./dialog.ts";
import { pager } from "./pager.ts";

/** Limits: code points per text, and number of items. */
const maxCodePoints = 200_000;
const maxItems = 200;

type Shown = Extract<ViewItem, { kind: "tool-call" | "tool-result" | "thought" | "shell-output" }>;

/** Returns a dialog that opens at the last call or shell command, else at the last item; null without items. */
export function toolOutput(items: readonly ViewItem[]): Dialog<never> | null {
  const shown = items.filter((item): item is Shown => shownKinds.has(item.kind)).slice(-maxItems);
  if (shown.length === 0) return null;
  const first = shown.findLast(({ kind }) => kind === "tool-call" || kind === "shell-output") ?? shown.at(-1);
  let page: Page | null = null;
  const pageAt = (width: number): Page => (page?.width === width ? page : (page = pageOf(shown, first, width)));
  return pager<never>({
    hints: ["Esc close", "Up, Down scroll", "PgUp, PgDn page", "Home, End"],
    rows: (width) => pageAt(width).rows,
    start: (width) => pageAt(width).start,
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

interface Page {
  readonly width: number;
  readonly rows: readonly Row[];
  /** The index of the row at which the dialog opens. */
  readonly start: number;
}

function pageOf(items: readonly Shown[], opened: Shown | undefined, width: number): Page {
  const parts = items.map((item) => rowsOf(item, width));
  const above = parts.slice(0, opened === undefined ? 0 : items.indexOf(opened));
  return { width, rows: parts.flat(), start: above.flat().length };
}

function rowsOf(item: Shown, width: number): readonly Row[] {
  if (item.kind === "tool-call") {
    const head = truncateRow([span("⏺ ", "accent"), span(item.name, "strong")], width);
    return [head, ...wrapText(clipped(item.arguments), "faint", { width, lead: [span("    ")] })];
  }
  const isThought = item.kind === "thought";
  const tone = isThought ? "faint" : item.kind === "tool-result" && item.status === "failed" ? "removed" : "plain";
  const lead = [span(isThought ? "✻ " : "  ⎿ ", "faint")];
  const text = item.kind === "shell-output" ? item.text.trimEnd() : item.text.trim();
  return [...wrapText(clipped(text), tone, { width, lead }), []];
}

function clipped(text: string): string {
  const taken = takeCodePoints(text, maxCodePoints);
  return taken.length === text.length ? text : `${taken}\n… the rest is not shown`;
}
