// Stores the keys of a user, and finds the user of a key.
// Invariant: only the lookup of a key runs without a user. Its database function requires the hash of the key's secret.
import { setImmediate } from "node:timers/promises";
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

/**
 * Returns a function that finds a key by its hash; null if there is none, or if it is revoked. One transaction looks up all
 * hashes that were given in one iteration of the event loop; it begins at the end of that iteration.
 */
export function createKeyLookup(database: Database): (hash: string) => Promise<VerifiedKey | null> {
  let next: { readonly hashes: Set<string>; readonly found: Promise<ReadonlyMap<string, VerifiedKey>> } | null = null;
  const begin = async (hashes: ReadonlySet<string>): Promise<ReadonlyMap<string, VerifiedKey>> => {
    await setImmediate();
    next = null;
    return verifyKeys(database, [...hashes]);
  };
  return async (hash) => {
    if (next === null) {
      const hashes = new Set<string>();
      next = { hashes, found: begin(hashes) };
    }
    next.hashes.add(hash);
    return (await next.found).get(hash) ?? null;
  };
}

/** Returns the valid keys with these hashes, by hash. */
async function verifyKeys(database: Database, hashes: readonly string[]): Promise<ReadonlyMap<string, VerifiedKey>> {
  const statement = `
    select asked.hash, key.user_id as "userId", key.key_id as "keyId", key.agent_id as "agentId", key.scope
    from jsonb_array_elements_text($1::text::jsonb) asked (hash) cross join lateral verify_key(asked.hash) key`;
  const rows = await database.transaction(
    nobody,
    (tx) => tx.runLast<VerifiedKey & { readonly hash: string }>(statement, [hashes]),
    // The users of the keys are not known yet, so a hash instead of a user id names the queue for a connection.
    { isRepeatable: true, queue: hashes[0]! },
  );
  return new Map(rows.map(({ hash, ...key }) => [hash, key]));
}
