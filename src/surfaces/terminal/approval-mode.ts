// The mode of approvals: which waiting calls the chat approves by itself.
// Invariant: pure; a mode holds for one conversation in one chat, is stored nowhere, and begins with `ask`.
import type { ToolDescription } from "./runtime-records.ts";

/** `ask`: none. `edits`: calls of tools that change only memory. `all`: every call. */
export type ApprovalMode = "ask" | "edits" | "all";

const modes: readonly ApprovalMode[] = ["ask", "edits", "all"];

/** Returns the mode that follows; the first after the last. */
export function nextMode(mode: ApprovalMode): ApprovalMode {
  return modes[(modes.indexOf(mode) + 1) % modes.length] ?? "ask";
}

export function approves(mode: ApprovalMode, { effects }: Pick<ToolDescription, "effects">): boolean {
  return mode === "all" || (mode === "edits" && effects === "memory");
}

/** The text of the status line; null for `ask`. */
export const modeLabels: Readonly<Record<ApprovalMode, string | null>> = {
  ask: null,
  edits: "approves memory edits",
  all: "approves all calls",
};

export const modeHints: Readonly<Record<ApprovalMode, string>> = {
  ask: "Calls wait for your approval again, as the agent's settings say.",
  edits: "Here, waiting calls that edit only memory are approved until you leave.",
  all: "Here, every waiting call is approved until you leave.",
};
