// Checks that a source is the user's own: a user may use no others.
import { and, eq } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import { sources } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";

/** Throws RequestError `source_not_found` if there is no such source; otherwise locks it until the transaction ends. */
export async function requireSource(tx: Transaction, userId: string, sourceId: string): Promise<void> {
  if (isUuid(sourceId)) {
    const own = and(eq(sources.userId, userId), eq(sources.id, sourceId));
    const found = await tx.tables.select({ id: sources.id }).from(sources).where(own).for("key share");
    if (found.length > 0) return;
  }
  throw new RequestError(
    "source_not_found",
    "This user has no such source. `runtime.sources.list()` lists the sources.",
  );
}
