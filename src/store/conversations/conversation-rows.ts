// Converts conversations from rows to records.
import type { ConversationRecord } from "../port/records.ts";
import { timeOf } from "../stored-times.ts";

/** `conversationColumns`, with times as text. */
export interface ConversationRow {
  readonly id: string;
  readonly agent_id: string;
  readonly title: string | null;
  readonly leaf_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function conversationOfRow(row: ConversationRow): ConversationRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    title: row.title,
    leafId: row.leaf_id,
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
  };
}
