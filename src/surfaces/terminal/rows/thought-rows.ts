// Renders the model's thoughts: one row with their duration, or the text.
// Invariant: pure; the rows of a running thought are limited, however long it is.
import type { ViewItem } from "../view/view-item.ts";
import { secondsLabel } from "./labels.ts";
import { type Row, span } from "./row.ts";
import { truncateRow, wrapText } from "./wrap.ts";

export type Thought = Extract<ViewItem, { kind: "thought" }>;

/** Renders `✻ thought for 3 s · Ctrl+T`, or the whole text. */
export function thoughtRows({ text, milliseconds, isShown }: Thought, width: number): readonly Row[] {
  if (isShown) return wrapText(text, "faint", { width, lead: [span("✻ ", "faint")] });
  const time = milliseconds < 1000 ? "" : ` for ${secondsLabel(milliseconds)}`;
  return [truncateRow([span(`✻ thought${time} · Ctrl+T`, "faint")], width)];
}

/** Renders the last rows of a running thought; none while thoughts are hidden, since the activity says that it runs. */
export function runningThoughtRows(thought: Thought, width: number, max: number): readonly Row[] {
  if (!thought.isShown || max < 1) return [];
  const end = thought.text.slice(-width * max).toWellFormed();
  return [[], ...thoughtRows({ ...thought, text: end }, width).slice(-max)];
}
