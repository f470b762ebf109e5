// Stores the keys of a user, and finds the user of a key.
// Invariant: the lookup is the only access without a user; its function returns a key only for the hash of its secret.
import { and, desc, eq, isNull } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import type { KeyStore, KeyScope, VerifiedKey } from "../port/key-store.ts";
import type { Database, UserContext } from "../connection/database.ts";
import { nobody } from "../connection/runtime-role.ts";
import { keys } from "../schema.ts";
import { isUuid } from "../uuid.ts";
import { requireAgent } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";

export function createKeyStore({ userId, transaction, repeatable }: UserContext): KeyStore {
  return {
    create: (key) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        if (key.agentId !== null) await requireAgent(tx, userId, key.agentId);
        await tx.tables.insert(keys).values({ ...key, userId, name: storableText(key.name) });
      }),
    list: () =>
      repeatable(async (tx) => {
        const rows = await tx.tables
          .select()
          .from(keys)
          .where(eq(keys.userId, userId))
          .orderBy(desc(keys.createdAt), desc(keys.id));
        return rows.map(({ userId: _user, hash: _hash, ...key }) => key);
      }),
    revoke: (id, at) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const own = and(eq(keys.userId, userId), eq(keys.id, id));
        await tx.tables
          .update(keys)
          .set({ revokedAt: at })
          .where(and(own, isNull(keys.revokedAt)));
        return (await tx.tables.select({ id: keys.id }).from(keys).where(own)).length > 0;
      }),
  };
}

interface VerifiedRow {
  readonly user_id: string;
  readonly key_id: string;
  readonly agent_id: string | null;
  readonly scope: KeyScope;
}

/** Returns null for a hash of no key, or of one that is revoked. */
export async function verifyKey(database: Database, hash: string): Promise<VerifiedKey | null> {
  const statement = "select user_id, key_id, agent_id, scope from verify_key($1)";
  const [row] = await database.transaction(nobody, (tx) => tx.runLast<VerifiedRow>(statement, [hash]), {
    isRepeatable: true,
    // Each key waits for itself: its user is not known yet.
    queue: hash,
  });
  if (row === undefined) return null;
  return { userId: row.user_id, keyId: row.key_id, agentId: row.agent_id, scope: row.scope };
}
