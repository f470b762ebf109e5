// Counts and deletes everything that belongs to a user.
// Invariant: a user is deleted in one transaction. Cascades delete the user's agents, offers from and to the user, and
// the user's data with all agents. Other users keep their data with the deleted user's agents, but not that user's name.
import { eq } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type { StorageUsage, UsageStore } from "../port/retention-store.ts";
import { users } from "../schema.ts";
import type { UserContext } from "../connection/database.ts";

export function createUsageStore({ userId, transaction }: UserContext): UsageStore {
  return {
    count: () =>
      transaction(async (tx) => {
        const [row] = await tx.run<StorageUsage>(countUsage, [userId]);
        return row ?? null;
      }),
    delete: () =>
      transaction(async (tx) => {
        const deleted = await tx.tables.delete(users).where(eq(users.userId, userId)).returning({ id: users.userId });
        if (deleted.length === 0)
          throw new RequestError("user_not_found", "There is no such user: no data is stored under this user id.");
      }),
  };
}

/** $1 user. Returns no row for an unknown user. */
const countUsage = `
select (select count(*)::int from agents where user_id = $1) as agents,
  (select count(distinct user_id)::int from grants where owner_id = $1 and user_id <> $1 and is_usable) as "sharedWith",
  (select count(*)::int from conversations where user_id = $1) as conversations,
  (select count(*)::int from messages where user_id = $1) as messages,
  (select count(*)::int from passages where user_id = $1) as passages,
  (select count(*)::int from sources where user_id = $1) as sources
from users where user_id = $1`;
