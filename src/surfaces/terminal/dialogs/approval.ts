// Asks by single keys whether a waiting call runs. The call itself is above, among the finished items.
// Invariant: only `y` runs the call; Esc decides nothing, and any other key begins a message.
import type { ApprovalRecord } from "../runtime-records.ts";
import { span } from "../rows/row.ts";
import { truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogStep } from "./dialog.ts";
import { fieldDialog } from "./field.ts";

/** A line to submit, a text for the prompt, or a change of the mode of approvals. */
export type ApprovalAnswer = { readonly line: string } | { readonly text: string } | { readonly type: "approval-mode" };

type WaitingCall = Pick<ApprovalRecord, "toolName" | "arguments">;

/** Returns the question about a waiting call, the first of `count`. `mode`: the label of the approval mode, null for `ask`. */
export function approvalDialog(call: WaitingCall, count = 1, mode: string | null = null): Dialog<ApprovalAnswer> {
  const which = count === 1 ? "" : ` (1 of ${count})`;
  const next = mode === null ? "" : ` · from now on, this chat ${mode}`;
  return {
    hints: ["y yes", "n no", "e change the arguments", "Esc decide later", "Shift+Tab mode"],
    draw: ({ width }) => ({
      rows: [truncateRow([span(`Run ${call.toolName}?${which}`, "warning"), span(next, "faint")], width)],
    }),
    press({ chord, text }) {
      if (chord === "escape") return { type: "close", result: null };
      if (chord === "shift+tab") return closed({ type: "approval-mode" });
      if (chord !== "") return { type: "show", dialog: approvalDialog(call, count, mode) };
      if (text.toLowerCase() === "n")
        return { type: "show", dialog: denialDialog(call, approvalDialog(call, count, mode)) };
      return closed((text.length === 1 ? readApprovalLine(text, call) : null) ?? { text });
    },
  };
}

function denialDialog(call: WaitingCall, dialog: Dialog<ApprovalAnswer>): Dialog<ApprovalAnswer> {
  return fieldDialog({
    hints: ["Enter deny, with or without a reason", "Esc back"],
    rows: (width) => [truncateRow([span(`Why not run ${call.toolName}?`, "warning")], width)],
    cleaned: (text) => text.replaceAll(/\s+/gu, " "),
    accept: (reason) => closed({ line: `/deny ${reason}`.trim() }),
    leave: () => ({ type: "show", dialog }),
  });
}

/**
 * Returns the answer to the question in a line of the prompt; null if the line is not an answer. Only complete words, such as
 * `y` or `yes`, are answers, so a message that begins with one of these letters stays a message. Pure.
 */
export function readApprovalLine(line: string, call: WaitingCall): Exclude<ApprovalAnswer, { type: string }> | null {
  const answer = line.trim();
  if (/^(y|yes)$/iu.test(answer)) return { line: "/approve" };
  if (/^(e|edit)$/iu.test(answer)) return { text: `/approve ${call.arguments}` };
  const denied = /^(?:n|no)(?:$|[\s,:]+([\s\S]*)$)/iu.exec(answer);
  return denied === null ? null : { line: `/deny ${denied[1] ?? ""}`.trim() };
}

function closed(result: ApprovalAnswer): DialogStep<ApprovalAnswer> {
  return { type: "close", result };
}
