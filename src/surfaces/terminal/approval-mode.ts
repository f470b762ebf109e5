// Defines the modes of approvals. A mode decides which waiting calls the chat approves by itself.
// Invariant: pure; a mode applies to one conversation in one chat, is not stored, and is `ask` at first.
import type { ToolDescription } from "./runtime-records.ts";

/** What the chat approves: with `ask` no call, with `edits` calls of tools that change only memory, with `all` every call. */
export type ApprovalMode = "ask" | "edits" | "all";

const modes: readonly ApprovalMode[] = ["ask", "edits", "all"];

/** Returns the next mode; after the last mode, the first one. */
export function nextMode(mode: ApprovalMode): ApprovalMode {
  return modes[(modes.indexOf(mode) + 1) % modes.length] ?? "ask";
}

export function approves(mode: ApprovalMode, { effects }: Pick<ToolDescription, "effects">): boolean {
  return mode === "all" || (mode === "edits" && effects === "memory");
}

/** The text about each mode in the status line; null for `ask`. */
export const modeLabels: Readonly<Record<ApprovalMode, string | null>> = {
  ask: null,
  edits: "approves memory edits",
  all: "approves all calls",
};

export const modeHints: Readonly<Record<ApprovalMode, string>> = {
  ask: "Calls wait for your approval again, as the agent's settings say.",
  edits: "Until you leave, the chat approves calls that edit only memory.",
  all: "Until you leave, the chat approves every call.",
};
