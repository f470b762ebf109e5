// The rows under a dialog: what has failed, and its keys or its current work.
import { surfaceText } from "../../surface-words.ts";
import { type Row, span } from "../rows/row.ts";
import { fitted } from "../rows/status-rows.ts";
import { wrapText } from "../rows/wrap.ts";
import { contentWidth, type ShownDialog, type ViewState } from "../view/chat-view.ts";

/** Returns at most 5 rows, and fewer than `max`. */
export function dialogFootRows(
  { dialog, activity, failure }: ShownDialog,
  { state, max }: { readonly state: ViewState; readonly max: number },
): readonly Row[] {
  const width = contentWidth(state.size);
  const hints = activity === null ? dialog.hints : [`${activity}…`, "Esc interrupt"];
  const failed =
    failure === null
      ? []
      : wrapText(surfaceText(failure, "chat", state.command), "failure", { width, lead: [span("✗ ", "failure")] });
  return [...failed.slice(0, Math.min(4, max - 2)), fitted(hints, width)];
}
