// Counts and deletes everything that belongs to a user.
// Invariant: a user is deleted in one transaction, by the database's cascades: agents, offers in both directions, and
// the user's data with all agents. Other users keep their data with an agent of this user, without its owner's name.
import { eq } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type { UsageStore, StorageUsage } from "../port/store.ts";
import { users } from "../schema.ts";
import { countUsage } from "../sql/count-usage.ts";
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
        if (deleted.length === 0) throw userNotFound();
      }),
  };
}

function userNotFound(): RequestError {
  return new RequestError("user_not_found", "There is no such user: no data was ever stored for that name.");
}
