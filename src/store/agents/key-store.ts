// Stores the keys of a user, and finds the user of a key.
// Invariant: only the lookup of a key runs without a user. Its database function requires the hash of the key's secret.
import { and, desc, isNull } from "drizzle-orm";
import type { Database, UserContext } from "../connection/database.ts";
import { nobody } from "../connection/runtime-role.ts";
import { createOwnRows } from "../own-rows.ts";
import type { KeyStore, VerifiedKey } from "../port/key-store.ts";
import { keys } from "../schema.ts";
import { requireAgent } from "./agent-access.ts";

export function createKeyStore({ userId, transaction, repeatable }: UserContext): KeyStore {
  const rows = createOwnRows(keys, userId);
  return {
    create: (key) =>
      transaction(async (tx) => {
        if (key.agentId !== null) await requireAgent(tx, userId, key.agentId);
        await rows.insert(tx, key);
      }),
    list: () =>
      repeatable(async (tx) => {
        const all = await rows.list(tx, undefined, [desc(keys.createdAt), desc(keys.id)]);
        return all.map(({ hash: _hash, ...key }) => key);
      }),
    revoke: (id, at) =>
      transaction(async (tx) => {
        await tx.tables
          .update(keys)
          .set({ revokedAt: at })
          .where(and(rows.is(id), isNull(keys.revokedAt)));
        return (await rows.find(tx, id)) !== null;
      }),
  };
}

/** Returns the key with this hash; null if there is none, or if it is revoked. */
export async function verifyKey(database: Database, hash: string): Promise<VerifiedKey | null> {
  const statement = `
    select user_id as "userId", key_id as "keyId", agent_id as "agentId", scope from verify_key($1)`;
  const [row] = await database.transaction(nobody, (tx) => tx.runLast<VerifiedKey>(statement, [hash]), {
    isRepeatable: true,
    // Each user has a queue for connections. The user of this key is not known yet, so the key has a queue.
    queue: hash,
  });
  return row ?? null;
}
