// Asks by single keys whether a waiting call runs. The call itself is above, among the finished items.
// Invariant: only `y` runs the call; Esc decides nothing, and any other key begins a message.
import type { ApprovalRecord } from "../runtime-records.ts";
import { type Editor, emptyEditor, typedInto } from "../input/line-editor.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { span } from "../rows/row.ts";
import { truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogStep } from "./dialog.ts";

/** A line to submit, or a text for the prompt. */
export type ApprovalAnswer = { readonly line: string } | { readonly text: string };

type WaitingCall = Pick<ApprovalRecord, "toolName" | "arguments">;

/** Returns the question about a waiting call. */
export function approvalDialog(call: WaitingCall): Dialog<ApprovalAnswer> {
  const answers: Readonly<Record<string, DialogStep<ApprovalAnswer>>> = {
    y: closed({ line: "/approve" }),
    n: { type: "show", dialog: denialDialog(call, emptyEditor) },
    e: closed({ text: `/approve ${call.arguments}` }),
  };
  return {
    hints: ["y yes", "n no", "e change the arguments", "Esc decide later"],
    draw: ({ width }) => ({ rows: [truncateRow([span(`Run ${call.toolName}?`, "warning")], width)] }),
    press({ chord, text }) {
      if (chord === "escape") return { type: "close", result: null };
      if (chord !== "") return { type: "show", dialog: approvalDialog(call) };
      return answers[text.toLowerCase()] ?? closed({ text });
    },
  };
}

function denialDialog(call: WaitingCall, reason: Editor): Dialog<ApprovalAnswer> {
  return {
    hints: ["Enter deny, with or without a reason", "Esc back"],
    draw({ width, max }) {
      const { rows, cursor } = promptRows(reason, { width, max: 1 });
      const question = truncateRow([span(`Why not run ${call.toolName}?`, "warning")], width);
      return { rows: [question, ...rows].slice(-max), cursor: { ...cursor, y: max === 1 ? 0 : 1 } };
    },
    press({ chord, text }) {
      if (chord === "escape") return { type: "show", dialog: approvalDialog(call) };
      if (chord === "enter") return closed({ line: `/deny ${reason.text}`.trim() });
      return {
        type: "show",
        dialog: denialDialog(call, typedInto(reason, chord, text.replaceAll(/\s+/gu, " ")) ?? reason),
      };
    },
  };
}

function closed(result: ApprovalAnswer): DialogStep<ApprovalAnswer> {
  return { type: "close", result };
}
