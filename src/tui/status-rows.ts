// The two rows under the prompt: who, with which model, how full the window is; and which keys there are.
// Invariant: one row each at any width; what matters least is left out first.
import { modelLabel, tokensLabel } from "./labels.ts";
import type { ViewState, ViewStatus } from "./chat-view.ts";
import { type Row, rowWidth, type Span, span } from "./row.ts";
import { truncateRow } from "./wrap.ts";

/** `ada · claude · 12% of 32k · conversation 0193…` on one row. */
export function statusRow(status: ViewStatus, width: number): Row {
  const { window } = status;
  const share = window.limit === 0 ? 0 : Math.round((100 * window.tokens) / window.limit);
  const use = span(`${share}% of ${tokensLabel(window.limit)}`, share >= 75 ? "warning" : "faint");
  const name = span(status.agentName, "faint");
  const model = span(modelLabel(status.model), "faint");
  const shortModel = span(modelLabel(status.model).split(":")[0] ?? "", "faint");
  const conversation = span(`conversation ${status.conversationId.slice(0, 13)}`, "faint");
  const candidates = [
    [name, model, use, conversation],
    [name, model, use],
    [name, shortModel, use],
    [name, use],
  ].map(joined);
  return candidates.find((row) => rowWidth(row) <= width) ?? truncateRow(candidates.at(-1) ?? [], width);
}

/** What the keys do now. */
export function hintRow(state: ViewState, width: number): Row {
  if (state.hint !== null) return truncateRow([span(state.hint, "warning")], width);
  const hints =
    state.activity === null
      ? ["Enter send", "Alt+Enter new line", "/help", "Ctrl+C twice to leave"]
      : ["Esc interrupt", "Enter send after this turn"];
  return fitted(hints, width);
}

/** As many of the hints as the width has room for, the first ones. */
export function fitted(hints: readonly string[], width: number): Row {
  for (let count = hints.length; count > 1; count -= 1) {
    const row = [span(hints.slice(0, count).join(" · "), "faint")];
    if (rowWidth(row) <= width) return row;
  }
  return truncateRow([span(hints[0] ?? "", "faint")], width);
}

function joined(parts: readonly Span[]): Row {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [span(" · ", "faint"), part]));
}
