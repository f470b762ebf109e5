// Stores identities.
// Invariant: keys are unique per user, also for concurrent calls: the unique key decides.
import { and, eq } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { Identity, IdentityChange, IdentityStore } from "../port/identity-store.ts";
import type { UserContext } from "../connection/database.ts";
import { isDuplicateKey } from "../connection/database-error.ts";
import { keysetOf } from "../list-range.ts";
import { identities } from "../schema.ts";
import { countIdentities, listIdentities } from "../sql/list-identities.ts";
import { isUuid, storableIds } from "../uuid.ts";
import { ensureUser } from "./known-user.ts";
import { timeOf } from "../stored-times.ts";

export function createIdentityStore({ userId, transaction, repeatable }: UserContext): IdentityStore {
  const own = (id: string) => and(eq(identities.userId, userId), eq(identities.id, id));
  return {
    create: ({ id, createdAt, ...fields }) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        const columns = columnsOf(fields) as Required<ReturnType<typeof columnsOf>>;
        await tx.tables.insert(identities).values({ userId, id, createdAt, ...columns });
      }).catch(keyTaken),
    find: (id) =>
      repeatable(async (tx) => {
        if (!isUuid(id)) return null;
        const [row] = await tx.tables.select().from(identities).where(own(id));
        return row === undefined ? null : identityOf(row);
      }),
    list: (request) =>
      repeatable(async (tx) => {
        const { key, name, kind, ids, limit } = request;
        const { newerThan, olderThan, direction, inOrder } = keysetOf(request);
        const texts = [key, name].map((text) => (text === undefined ? null : storableText(text)));
        const range = [olderThan, newerThan, limit];
        const rows = await tx.run<IdentityColumns>(listIdentities(direction), [
          userId,
          ...texts,
          kind ?? null,
          ...range,
          ids === undefined ? null : storableIds(ids),
        ]);
        return inOrder(rows.map((row) => identityOf({ ...row, createdAt: timeOf(row.createdAt) })));
      }),
    count: () =>
      repeatable(async (tx) => (await tx.run<{ readonly count: number }>(countIdentities, [userId]))[0]!.count),
    update: (id, change) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return null;
        const columns = columnsOf(change);
        if (Object.keys(columns).length > 0) await tx.tables.update(identities).set(columns).where(own(id));
        const [row] = await tx.tables.select().from(identities).where(own(id));
        return row === undefined ? null : identityOf(row);
      }).catch(keyTaken),
    delete: (id) =>
      transaction(
        async (tx) => isUuid(id) && (await tx.tables.delete(identities).where(own(id)).returning()).length > 0,
      ),
  };
}

type IdentityRow = typeof identities.$inferSelect;
type IdentityColumns = Omit<IdentityRow, "userId" | "createdAt"> & { readonly createdAt: string };

function identityOf({
  id,
  identifierKey: key,
  name,
  kind,
  properties,
  createdAt,
}: Omit<IdentityRow, "userId">): Identity {
  return { id, key, name, kind, properties: JSON.parse(properties) as Identity["properties"], createdAt };
}

function columnsOf({ key, name, kind, properties }: IdentityChange) {
  return {
    ...(key === undefined ? {} : { identifierKey: storableText(key) }),
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(kind === undefined ? {} : { kind }),
    ...(properties === undefined ? {} : { properties: storableJson(properties) }),
  };
}

function keyTaken(error: unknown): never {
  if (!isDuplicateKey(error)) throw error;
  const message =
    "Expected a new key and id for an identity, got one that the user has already. Change that one instead.";
  throw new RequestError("identity_exists", message, { cause: error });
}
