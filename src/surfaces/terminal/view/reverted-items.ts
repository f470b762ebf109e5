// Shows reverted memory edits in the chat: each edit reversed, and the passages deleted from the archive.
import type { RevertedEdit } from "../../../agent/events.ts";
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { ViewItem } from "./view-item.ts";

const maxPassageLength = 200;

export interface RevertedView {
  readonly edits: readonly RevertedEdit[];
  readonly passages: readonly { readonly text: string }[];
}

/** Returns an empty list if nothing was reverted. Limits are shown only for labels in `modules`. */
export function revertedItems(
  { edits, passages }: RevertedView,
  modules: readonly { readonly label: string; readonly limit: number }[],
): readonly ViewItem[] {
  const parts = [
    ...edits.map(({ label, revision }) => `revision ${revision} of ${label}`),
    ...(passages.length === 0 ? [] : [`${countLabel(passages.length, "passage")} of the archive`]),
  ];
  if (parts.length === 0) return [];
  return [
    { kind: "notice", level: "note", text: `Reverted ${parts.join(", ")}.` },
    ...edits.map(
      ({ label, before, after }): ViewItem => ({
        kind: "memory-edit",
        label,
        before: after,
        after: before,
        limit: modules.find((module) => module.label === label)?.limit ?? null,
      }),
    ),
    ...(passages.length === 0 ? [] : [passagePanel(passages)]),
  ];
}

function passagePanel(passages: RevertedView["passages"]): ViewItem {
  const paragraphs = passages.map((passage) => {
    const line = passage.text.replaceAll(/\s+/g, " ");
    const text = line.length > maxPassageLength ? `${line.slice(0, maxPassageLength)}…` : line;
    return { indent: 2, spans: [span(`- ${text}`, "removed" as const)] };
  });
  return { kind: "panel", paragraphs };
}
