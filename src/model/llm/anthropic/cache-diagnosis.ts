// Asks Anthropic's API why a request missed the prompt cache (platform.claude.com, "Cache diagnostics").
// Invariant: a request names the previous reply of its conversation if this process received that reply.
import type { BetaDiagnostics, BetaDiagnosticsParam } from "@anthropic-ai/sdk/resources/beta/messages/messages";

export const cacheBeta = "cache-diagnosis-2026-04-07";

export interface CacheDiagnosis {
  /** Returns the fields to add to the body of a request of the conversation. */
  fieldsFor(conversation: string | undefined): { readonly diagnostics?: BetaDiagnosticsParam };
  /** Stores the id of the conversation's newest reply. */
  answered(conversation: string | undefined, id: string): void;
}

/** Maximum number of conversations whose newest reply is stored. */
const maxConversations = 1000;

export function createCacheDiagnosis(): CacheDiagnosis {
  const replies = new Map<string, string>();
  return {
    fieldsFor: (conversation) =>
      conversation === undefined ? {} : { diagnostics: { previous_message_id: replies.get(conversation) ?? null } },
    answered(conversation, id) {
      if (conversation === undefined) return;
      replies.delete(conversation);
      replies.set(conversation, id);
      const [oldest] = replies.keys();
      if (replies.size > maxConversations && oldest !== undefined) replies.delete(oldest);
    },
  };
}

/** Returns the reason of a cache miss, such as `tools changed`; null for no miss, or if the API knows no reason. */
export function cacheMissOf(diagnostics: Partial<BetaDiagnostics> | null | undefined): string | null {
  const reason = diagnostics?.cache_miss_reason?.type;
  return reason?.endsWith("_changed") === true ? reason.replaceAll("_", " ") : null;
}
