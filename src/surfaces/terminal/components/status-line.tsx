// The two rows under the prompt: the status, and the keys or the current hint.
import { hintRow, statusRow } from "../rows/status-rows.ts";
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import { RowLine } from "./toned.tsx";

export function StatusLine({ state }: { readonly state: ViewState }) {
  return <RowLine row={statusRow(state.status, contentWidth(state.size))} />;
}

export function KeyHints({ state }: { readonly state: ViewState }) {
  return <RowLine row={hintRow(state, contentWidth(state.size))} />;
}
