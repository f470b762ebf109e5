// Creates a passage whose text comes from another program.
// Invariant: its trust is external, and it refers to no conversation, message or call.
import type { TransferredPassage } from "../store/port/transfer-store.ts";

export function outsidePassage(given: Pick<TransferredPassage, "id" | "text" | "tags" | "at">): TransferredPassage {
  return {
    ...given,
    kind: "memory",
    origin: "import",
    trust: "external",
    external: [],
    importance: 0.5,
    conversationId: null,
    messageId: null,
    callId: null,
    accessCount: 0,
    accessedAt: null,
    replacedBy: null,
  };
}
