// The cause of a core memory edit, as rows: the request, the call, and the full difference.
// Invariant: pure, and no row is wider than the width.
import { externalText } from "../../../base/message/message.ts";
import { changeRow } from "../rows/item-rows.ts";
import { whenLabel } from "../rows/labels.ts";
import { type Row, span } from "../rows/row.ts";
import type { RevisionCause, RevisionRecord } from "../runtime-records.ts";
import { diffLines } from "../../../base/line-diff.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { DialogSpace } from "./dialog.ts";
import { shownBeginning } from "./scrolled-rows.ts";

const leadOf = {
  message: "After this was said",
  event: "After this event",
  system: "After this system message",
} as const satisfies Record<NonNullable<RevisionCause["input"]>["kind"], string>;

/** The rows: the request, the call, and the full difference. */
export function causeRows({ revision, call, input }: RevisionCause, { width, now }: DialogSpace): readonly Row[] {
  const lead = [span("  ")];
  const asked =
    input === null
      ? []
      : [
          truncateRow([span(`${leadOf[input.kind]}, ${whenLabel(input.at, now)}:`, "faint")], width),
          ...wrapText(shownBeginning(input.text), "plain", { width, lead }),
        ];
  const called =
    call === null
      ? []
      : [
          truncateRow([span("the model called ", "faint"), span(call.name, "strong"), span(":", "faint")], width),
          ...wrapText(shownBeginning(call.arguments), "code", { width, lead }),
        ];
  const unknown = input === null && call === null ? wrapText(noCause(revision), "faint", { width, lead: [] }) : [];
  return [
    truncateRow(
      [span(`Why r${revision.revision}: ${causeLabel(revision)}, ${whenLabel(revision.at, now)}`, "strong")],
      width,
    ),
    ...asked,
    ...called,
    ...unknown,
    ...outsideRows(revision, width),
    truncateRow([span("which changed:", "faint")], width),
    ...diffLines(revision.before, revision.after).flatMap((change) =>
      changeRow(change, Math.max(4, width - 2)).map((row) => truncateRow([...lead, ...row], width)),
    ),
  ];
}

/** The external texts that may have led to the edit. */
function outsideRows({ trust, external }: RevisionRecord, width: number): readonly Row[] {
  if (trust !== "external") return [];
  const seen = external.length === 0 ? "" : `; in the window: ${externalText(external)}`;
  return wrapText(`from outside${seen}`, "warning", { width, lead: [] });
}

function noCause({ origin, undoes }: RevisionRecord): string {
  if (undoes !== null) return `It reverted revision ${undoes}, by ${origin}.`;
  if (origin === "model") return "The conversation that it came from was deleted.";
  return `It was made outside of a conversation, by ${origin}.`;
}

/** The author of an edit, in one or two words. */
export function causeLabel({ undoes, toolName, origin }: RevisionRecord): string {
  return undoes === null ? (toolName ?? `by ${origin}`) : `reverts r${undoes}`;
}
