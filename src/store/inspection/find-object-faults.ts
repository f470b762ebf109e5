// Compares rows with the objects that they name: by SQL in the database, and as a list for objects stored elsewhere.
// Invariant: one statement, so one snapshot; over all users, which only the owner of the tables can read.
import type { NamedObject, ObjectFaults } from "../port/inspection.ts";
import { namedObjects } from "../objects/named-objects.ts";
import type { Transaction } from "../connection/transaction.ts";

const countFaults = `
with named as materialized (select * from (${namedObjects}) n where place = 'database'),
kept as materialized (
  select user_id, key, sum(octet_length(data))::int as bytes from object_parts group by user_id, key
)
select
  (select count(*)::int from named where is_stored) as objects,
  (select count(*)::int from named n
   where is_stored and not exists (
     select from kept k where k.user_id = n.user_id and k.key = n.object_key and k.bytes = n.bytes)) as missing,
  (select count(*)::int from kept k
   where not exists (select from named n where n.user_id = k.user_id and n.object_key = k.key)) as unreferenced`;

export async function findObjectFaults(tx: Transaction): Promise<ObjectFaults> {
  const [row] = await tx.run<ObjectFaults>(countFaults, []);
  return row!;
}

// An object whose row is not committed yet, or whose deletion is due, may or may not exist.
const listExternal = `
select user_id as "userId", place, object_key as "key", is_stored as "isRequired"
from (${namedObjects}) n where place <> 'database'
union all
select user_id, place, object_key, false from object_deletions`;

export async function listExternalObjects(tx: Transaction): Promise<readonly NamedObject[]> {
  return tx.run<NamedObject>(listExternal, []);
}
