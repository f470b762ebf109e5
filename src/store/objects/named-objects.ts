// The objects that rows name: the content of attachments, and node memories.
// Invariant: every table with a column `object_key` is here, except `object_deletions`, whose objects are to go.
import type { ExternalObjects } from "../../memory/backup.ts";
import type { Transaction } from "../connection/transaction.ts";

/** SQL: one row for each object that a row names, with its user, place, key and size in bytes, and whether it must be there. */
export const namedObjects = `
select user_id, place, object_key, max(size)::int as bytes, bool_or(is_stored) as is_stored
from attachments group by user_id, place, object_key
union all
select user_id, place, object_key, bytes, true as is_stored from node_memories`;

const countExternal = `
select place, count(*)::int as objects, sum(bytes)::float8 as bytes
from (${namedObjects}) n where place <> 'database' and is_stored
group by place order by place`;

/** As the owner of the tables: the objects of all users that are kept outside of the database, by place. */
export async function externalObjects(tx: Transaction): Promise<readonly ExternalObjects[]> {
  return tx.run<ExternalObjects>(countExternal, []);
}
