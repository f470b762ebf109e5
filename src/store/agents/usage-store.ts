// Everything that belongs to a user, as a whole.
// Invariant: a user is deleted in one transaction, by the database's own cascades: agents, offers both ways, and all that the user
// has with agents. Other users keep what they have with an agent of this user, without its owner's name.
import { eq } from "drizzle-orm";
import { RequestError } from "../../errors.ts";
import type { UsageStore, StorageUsage } from "../../memory/store.ts";
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
  return new RequestError("user_not_found", "There is no such user: nothing was ever kept for that name.");
}
