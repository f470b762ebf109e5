// Lists the users that have data in the store.
import type { StoredUser } from "../port/store.ts";
import type { Database } from "../connection/database.ts";

const statement = `
select u.user_id as "userId", u.created_at as "createdAt",
  (select count(*)::int from agents a where a.user_id = u.user_id) as agents,
  (select max(c.updated_at) from conversations c where c.user_id = u.user_id and c.leaf_id is not null) as "lastMessageAt"
from users u order by u.user_id`;

/** Returns the users, ordered by id. Throws StoreError if the role does not own the tables. */
export async function listUsers(database: Database): Promise<readonly StoredUser[]> {
  return database.ownerTransaction((tx) => tx.run<StoredUser>(statement, []));
}
