// The notice about a call that waits for approval, at its request and when its conversation is opened.
import type { ViewItem } from "./view-item.ts";

export interface AskedCall {
  readonly toolName: string;
  /** JSON, shown in full: a user must see all arguments before approving. */
  readonly arguments: string;
  /** What the call would do; null for a tool without a preview. */
  readonly preview: string | null;
  readonly expiresAt: Date | null;
}

/** Returns the question, with the possible answers. */
export function approvalItem({ toolName, arguments: asked, preview, expiresAt }: AskedCall): ViewItem {
  const until = expiresAt === null ? "" : ` (until ${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC)`;
  return {
    kind: "notice",
    level: "warning",
    text: `${toolName} waits for your approval${until}: ${asked}${preview === null ? "" : `\n${preview}`}`,
    advice: "y runs it, e changes its arguments first, n REASON denies it. Any other message denies it too.",
  };
}
