// Parses a short answer while a call waits for approval: y, e, n REASON.
// Invariant: pure; only a complete word counts, so a message that begins with one of these letters stays a message.
import type { ApprovalRecord } from "../runtime-records.ts";

export type ApprovalLine =
  /** Equivalent to this command. */
  | { readonly type: "command"; readonly line: string }
  /** A text to edit and send. */
  | { readonly type: "edit"; readonly text: string };

/** Returns null if the line is not such an answer. */
export function readApprovalLine(line: string, waiting: ApprovalRecord): ApprovalLine | null {
  const answer = line.trim();
  if (/^(y|yes)$/iu.test(answer)) return { type: "command", line: "/approve" };
  if (/^(e|edit)$/iu.test(answer)) return { type: "edit", text: `/approve ${waiting.arguments}` };
  const [, reason] = /^(?:n|no)(?:$|[\s,:]+([\s\S]*)$)/iu.exec(answer) ?? [];
  if (reason === undefined && !/^(n|no)$/iu.test(answer)) return null;
  return { type: "command", line: `/deny ${reason ?? ""}`.trim() };
}
