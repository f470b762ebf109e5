// Conversations as Letta's clients see them.
// Invariant: Letta's summary of a conversation is our title: one line of at most 200 characters.
import type { Fault } from "../../fault.ts";
import { shownUserId } from "../ids.ts";
import { invalidArgument } from "../wire-fault.ts";
import { momentOf } from "../wire-values.ts";
import type { ConversationRecord } from "./runtime-records.ts";

export function shownConversation(
  { id, agentId, title, leafId, createdAt, updatedAt }: ConversationRecord,
  messageIds: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  return {
    created_by_id: shownUserId,
    last_updated_by_id: shownUserId,
    created_at: momentOf(createdAt),
    updated_at: momentOf(updatedAt),
    id: `conv-${id}`,
    agent_id: `agent-${agentId}`,
    summary: title,
    in_context_message_ids: messageIds,
    isolated_block_ids: [],
    model: null,
    model_settings: null,
    last_message_at: leafId === null ? null : momentOf(updatedAt),
  };
}

export interface GivenConversation {
  readonly summary?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly model_settings?: unknown;
  readonly isolated_block_labels?: readonly string[] | null | undefined;
}

/** Throws Fault `input_invalid` for what a conversation cannot have here. */
export function requireSupported({
  model,
  model_settings: settings,
  isolated_block_labels: labels,
}: GivenConversation): void {
  if ((model ?? null) !== null || (settings ?? null) !== null)
    throw unsupported(
      "model",
      "A conversation has the model of its agent here: set it on the agent, or send `override_model` with a message.",
    );
  if ((labels ?? []).length > 0)
    throw unsupported(
      "isolated_block_labels",
      "All conversations of an agent share its blocks here: create another agent.",
    );
}

function unsupported(field: string, message: string): Fault {
  return invalidArgument(`body.${field}`, message);
}
