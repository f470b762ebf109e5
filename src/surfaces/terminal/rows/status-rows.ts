// Renders the two rows under the prompt: the status (agent, model, window, usage) and the keys.
// Invariant: each is exactly one row at any width; the least important parts are omitted first.
import { dollarsOf, type Usage } from "../../../base/message/message.ts";
import { cachedPercent } from "../../../base/window-words.ts";
import { modeLabels } from "../approval-mode.ts";
import { dollarsLabel, modelLabel, tokensLabel } from "./labels.ts";
import type { ViewState, ViewStatus } from "../view/chat-view.ts";
import { type Row, rowWidth, type Span, span } from "./row.ts";
import { truncateRow } from "./wrap.ts";

/** Returns how full the window is, in percent; 0 for a limit that is not known yet. */
export function windowPercent({ tokens, limit }: ViewStatus["window"]): number {
  return limit === 0 ? 0 : Math.round((100 * tokens) / limit);
}

/** Renders `ada · claude · 12% of 32k · 24k in, 75% cached, 812 out · $0.0431 · conversation 0193…` on one row. */
export function statusRow(status: ViewStatus, width: number): Row {
  const { window, usage } = status;
  const share = windowPercent(window);
  const use = span(`${share}% of ${tokensLabel(window.limit)}`, share >= 75 ? "warning" : "faint");
  const name = span(status.agentName, "faint");
  const model = span(modelLabel(status.model), "faint");
  const shortModel = span(modelLabel(status.model).split(":")[0] ?? "", "faint");
  const conversation = span(`conversation ${status.conversationId.slice(0, 13)}`, "faint");
  const isUsed = usage.inputTokens + usage.outputTokens > 0;
  const tokens = isUsed ? [span(tokensOf(usage), "faint")] : [];
  const cost = isUsed ? costOf(status).map((dollars) => span(dollars, "faint")) : [];
  const candidates = [
    [name, model, use, ...tokens, ...cost, conversation],
    [name, model, use, ...tokens, ...cost],
    [name, shortModel, use, ...tokens, ...cost],
    [name, shortModel, use, ...cost],
    [name, shortModel, use],
    [name, use],
  ].map(joined);
  return candidates.find((row) => rowWidth(row) <= width) ?? truncateRow(candidates.at(-1) ?? [], width);
}

/** Returns `24k in, 75% cached, 812 out`. */
function tokensOf(usage: Usage): string {
  const cached = cachedPercent(usage);
  const share = cached === 0 ? "" : `${cached}% cached, `;
  return `${estimateMark(usage)}${tokensLabel(usage.inputTokens)} in, ${share}${tokensLabel(usage.outputTokens)} out`;
}

/** Returns the cost; empty if the price is unknown or the cost is 0. */
function costOf({ usage, price }: ViewStatus): readonly string[] {
  const dollars = price === null ? 0 : dollarsOf(usage, price);
  return dollars === 0 ? [] : [`${estimateMark(usage)}${dollarsLabel(dollars)}`];
}

function estimateMark({ isEstimated }: Usage): string {
  return isEstimated === true ? "~" : "";
}

/** Renders the current hint; without a hint, the main keys with their effect. */
export function hintRow(state: ViewState, width: number): Row {
  if (state.hint !== null) return truncateRow([span(state.hint, "warning")], width);
  const [send, newLine] = state.isMultiline ? ["Alt+Enter", "Enter"] : ["Enter", "Alt+Enter"];
  const hints =
    state.activity === null
      ? [`${send} send`, `${newLine} new line`, "/help", "Ctrl+C twice to leave"]
      : ["Esc interrupt", `${send} send after this turn`, "Ctrl+S send now"];
  const vim = state.vim?.mode === "normal" ? "NORMAL" : null;
  if (vim !== null) return fitted([vim, ...hints], width);
  const mode = modeLabels[state.approvalMode];
  if (mode === null) return fitted(hints, width);
  const head = [span(mode, "warning"), span(" (Shift+Tab) · ", "faint")];
  return rowWidth(head) + 20 > width
    ? truncateRow(head.slice(0, 1), width)
    : [...head, ...fitted(hints, width - rowWidth(head))];
}

/** Renders the first hints, as many as fit the width. */
export function fitted(hints: readonly string[], width: number): Row {
  for (let count = hints.length; count > 1; count -= 1) {
    const row = [span(hints.slice(0, count).join(" · "), "faint")];
    if (rowWidth(row) <= width) return row;
  }
  return truncateRow([span(hints[0] ?? "", "faint")], width);
}

/** Returns one row with dots between the parts. */
export function joined(parts: readonly Span[]): Row {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [span(" · ", "faint"), part]));
}
