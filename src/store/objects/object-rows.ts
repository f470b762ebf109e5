// Stores objects as rows of the database, in parts of half a megabyte.
// Invariant: an object is written in one transaction, so it exists completely or not at all.
import { type Objects, requireKey } from "../object-storage/objects.ts";
import { ensureUser } from "../own-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";

const partBytes = 524_288;

export function createObjectRows({ userId, transaction, repeatable }: UserContext): Objects {
  return {
    place: "database",
    async create(key, bytes) {
      requireKey(key);
      return transaction(async (tx) => {
        await ensureUser(tx, userId);
        return writeObject(tx, userId, { key, bytes });
      });
    },
    async get(key) {
      const parameters = [userId, requireKey(key)];
      const rows = await repeatable((tx) => tx.run<{ readonly data: string }>(readParts, parameters));
      return rows.length === 0 ? null : Buffer.concat(rows.map(({ data }) => Buffer.from(data, "base64")));
    },
    async delete(key) {
      const parameters = [userId, requireKey(key)];
      await repeatable((tx) => tx.run("delete from object_parts where user_id = $1 and key = $2", parameters));
    },
  };
}

const writePart = `
insert into object_parts (user_id, key, part, data) values ($1, $2, $3::int, decode($4, 'base64'))
on conflict do nothing returning 1`;

const readParts =
  "select encode(data, 'base64') as data from object_parts where user_id = $1 and key = $2 order by part";

/**
 * Writes an object in the caller's transaction, for an existing user. Returns false, with nothing written, if the key exists.
 */
export async function writeObject(
  tx: Transaction,
  userId: string,
  { key, bytes }: { readonly key: string; readonly bytes: Uint8Array },
): Promise<boolean> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts = Math.max(1, Math.ceil(all.length / partBytes));
  for (let part = 0; part < parts; part += 1) {
    const data = all.subarray(part * partBytes, (part + 1) * partBytes).toString("base64");
    const written = await tx.run(writePart, [userId, key, part, data]);
    // Only the first part can exist already, because one transaction writes all parts of an object.
    if (written.length === 0) return false;
  }
  return true;
}
