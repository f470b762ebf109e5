// Renders the suggestions for the typed text, below the prompt; a long list has headings for its topics.
// Invariant: pure; at most `max` rows, among them the selected suggestion. The rows may be wider than the screen.
import { largest } from "../../../base/lists.ts";
import type { Candidate } from "../input/completion.ts";
import { widthOf } from "../screen/text-width.ts";
import { type Row, span } from "./row.ts";
import { screenText } from "./wrap.ts";

type Shown = Pick<Candidate, "label" | "summary" | "topic">;

/** Minimum number of suggestions for which headings are shown. */
const manyCandidates = 13;
const maxLabel = 40;

/** Renders the suggestions; if there are more than `max` rows, those around the selected one. */
export function suggestionRows(candidates: readonly Shown[], chosen: number | null, max: number): readonly Row[] {
  const entries = candidates.flatMap((candidate, at) => [
    ...(candidates.length < manyCandidates || candidate.topic === candidates[at - 1]?.topic ? [] : [candidate.topic]),
    candidate,
  ]);
  const count = entries.length > max ? max - 1 : entries.length;
  const selected = chosen === null ? undefined : candidates[chosen];
  const first = Math.max(0, (selected === undefined ? 0 : entries.indexOf(selected)) - count + 1);
  const shown = max === 0 ? [] : entries.slice(first, first + count);
  const labels = shown.map((entry) => (typeof entry === "object" ? Math.min(maxLabel, widthOf(entry.label)) : 0));
  const widest = largest(labels, 18);
  const hidden = candidates.length - shown.filter((entry) => typeof entry === "object").length;
  return [
    ...shown.map((entry) =>
      typeof entry === "object"
        ? suggestionRow(entry, widest, entry === selected)
        : [span(`  ${screenText(entry ?? "")}`, "heading")],
    ),
    ...(max === 0 || hidden === 0 ? [] : [[span(`  … ${hidden} more`, "faint")]]),
  ];
}

function suggestionRow({ label, summary }: Shown, widest: number, isSelected: boolean): Row {
  return [
    span(isSelected ? "› " : "  ", "accent"),
    span(screenText(label) + " ".repeat(Math.max(0, widest - widthOf(label)) + 1), isSelected ? "strong" : "plain"),
    span(screenText(summary), "faint"),
  ];
}
