// SQL and rows of conversations and of their windows.
// Invariant: the window's messages are read from an index by their range of positions, not by climbing from each message to
// its parent. So the cost depends on the window, not on the conversation's length. Positions of messages `on_thread` are
// unique.
import type { CompactionRecord, ConversationRecord, MemorySnapshot, ThreadRecord } from "../port/records.ts";
import { compactionChain } from "../sql/compaction-chain.ts";
import { datedRow } from "../stored-values.ts";
import { compactionColumns, compactionOfJson } from "./compaction-rows.ts";
import { messageColumns, messageOfRow, type MessageRow } from "./message-rows.ts";

/** SQL: the fields of a `ConversationRecord`, as column names without a table. */
export const conversationColumns = `id, agent_id as "agentId", title, leaf_id as "leafId", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** SQL: the window of conversation `v` of user $1, from the CTE `chain`. Compactions and messages are JSON arrays in order. */
export const windowColumns = `v.window_version as "windowVersion", v.memory_snapshot as snapshot,
  (
    select coalesce(json_agg(c order by c."fromPosition"), '[]') from (select ${compactionColumns("c")} from chain c) c
  ) as compactions,
  (
    select coalesce(json_agg(m order by m.position), '[]')
    from (
      select ${messageColumns("m")}, m.stated, m.position
      from messages m
      where m.user_id = $1 and m.conversation_id = v.id and m.on_thread
        and m.position > coalesce((select max(through_position) from chain), 0)
    ) m
  ) as messages`;

/** The values of `windowColumns` for one conversation. */
export interface WindowRow {
  readonly windowVersion: number;
  readonly snapshot: MemorySnapshot | null;
  readonly compactions: readonly CompactionRecord[];
  readonly messages: readonly MessageRow[];
}

/** Returns the window of a conversation; no row for an unknown conversation. $1 user, $2 conversation. */
export const readWindow = `
with recursive ${compactionChain("v.id = $2::uuid")}
select ${windowColumns}
from conversations v
where v.user_id = $1 and v.id = $2::uuid`;

export function threadOfRow({ windowVersion, snapshot, compactions, messages }: WindowRow): ThreadRecord {
  return {
    messages: messages.map(messageOfRow),
    compactions: compactions.map(compactionOfJson),
    windowVersion,
    snapshot,
  };
}

/** Returns a conversation that was read as JSON, with its times converted to Dates. */
export function conversationOfJson(row: ConversationRecord): ConversationRecord {
  return datedRow(row, ["createdAt", "updatedAt"]);
}
