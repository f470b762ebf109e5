// What the chat says of a call that waits for approval, when it is asked and when a conversation is opened in which it waits.
import type { ViewItem } from "./view-item.ts";

export interface AskedCall {
  readonly toolName: string;
  /** As JSON, shown whole: nobody can approve what they have not seen. */
  readonly arguments: string;
  readonly expiresAt: Date | null;
}

/** The question, with the answers that the chat understands. */
export function approvalItem({ toolName, arguments: asked, expiresAt }: AskedCall): ViewItem {
  const until = expiresAt === null ? "" : ` (until ${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC)`;
  return {
    kind: "notice",
    level: "warning",
    text: `${toolName} waits for your approval${until}: ${asked}`,
    advice: "y runs it, e changes its arguments first, n REASON denies it. Any other message denies it too.",
  };
}
