// SQL and rows of compactions: which messages left a window, and the summaries that replace them.
import { givenRows, recordColumns, usageColumn, usageFields } from "../own-rows.ts";
import type { CompactionRecord } from "../port/records.ts";
import { compactions } from "../schema.ts";
import { datedRow } from "../stored-values.ts";

const place = "agentId conversationId windowVersion";

/** SQL: the fields of a `CompactionRecord`. `row`: the name or alias of the table. */
export function compactionColumns(row: string): string {
  return `${recordColumns(compactions, row, `${place} ${usageFields}`)}, ${usageColumn(row)}`;
}

/** Returns the `compactionColumns` of a row that was read as JSON, with its times as Dates. */
export function compactionOfJson(row: CompactionRecord): CompactionRecord {
  return datedRow(row, ["undoneAt", "at"]);
}

/** The fields of a new compaction, including those of its usage. */
export const compactionFields = `id strategy fromPosition throughId throughPosition summary threadMessages rangeTokens tokensBefore tokensAfter model ${usageFields} dollars focus trust`;
const given = givenRows(compactions, compactionFields);

/**
 * Stores compactions that are made together, under the lease, as the window's next version. $1 user, $2 conversation, $3 the
 * fence, $4 the compactions. Returns no row if the lease is not held. A compaction is added only if its last message is on the
 * thread, at `throughPosition`.
 */
export const addCompactions = `
with moved as (
  update conversations set window_version = window_version + 1
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  returning window_version
), added as (
  insert into compactions (user_id, agent_id, conversation_id, window_version, ${given.columns})
  select $1, m.agent_id, $2::uuid, moved.window_version, ${given.values}
  from moved, ${given.from("$4")}
  join messages m on m.user_id = $1 and m.id = g."throughId" and m.conversation_id = $2::uuid
    and m.position = g."throughPosition" and m.on_thread
  where g."fromPosition" between 1 and g."throughPosition"
  returning 1
)
select window_version as "windowVersion", (select count(*)::int from added) as added from moved`;
