// Lists the objects to which rows refer: contents of attachments, and node memories.
// Invariant: covers every table with a column `object_key`, except `object_deletions`, which names objects to delete.
import type { ExternalObjects } from "../port/backup.ts";
import type { Transaction } from "../connection/transaction.ts";

/** SQL: one row per object that a row names: its user, place, key and size in bytes, and whether the object must exist. */
export const namedObjects = `
select user_id, place, object_key, max(size)::int as bytes, bool_or(is_stored) as is_stored
from attachments group by user_id, place, object_key
union all
select user_id, place, object_key, bytes, true as is_stored from node_memories`;

const countExternal = `
select place as backend, count(*)::int as objects, sum(bytes)::float8 as bytes
from (${namedObjects}) n where place <> 'database' and is_stored
group by place order by place`;

/** Returns the number and size of all users' objects outside the database, by place. Must run as the tables' owner. */
export async function externalObjects(tx: Transaction): Promise<readonly ExternalObjects[]> {
  return tx.run<ExternalObjects>(countExternal, []);
}
