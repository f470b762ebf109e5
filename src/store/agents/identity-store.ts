// Stores identities: the people and organizations that agents talk to.
// Invariant: two identities of a user never have the same key, because a unique index refuses the second.
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal } from "../connection/database-error.ts";
import { createOwnRows, recordColumns } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import type { Identity, IdentityStore } from "../port/identity-store.ts";
import { identities } from "../schema.ts";
import { idsIn } from "../stored-values.ts";

export function createIdentityStore({ userId, transaction, repeatable, statement }: UserContext): IdentityStore {
  const rows = createOwnRows(identities, userId);
  return {
    create: (identity) => transaction((tx) => rows.insert(tx, identity)).catch(keyTaken),
    find: (id) => repeatable((tx) => rows.find(tx, id)),
    list: ({ key, name, kind, ids, ...range }) =>
      rowsInRange<Identity>(statement, {
        range,
        statement: listIdentities,
        parameters: [userId, key, name, kind, ids],
      }),
    count: async () => (await statement<{ readonly count: number }>(countIdentities, [userId]))[0]!.count,
    update: (id, change) => transaction((tx) => rows.update(tx, id, change)).catch(keyTaken),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
  };
}

const keyTaken = duplicateRefusal(
  "identity_exists",
  "The user already has an identity with this key or id. Use another key and id, or change that identity.",
);

/** Statement for `rowsInRange`. Further parameters, null for no filter: $5 key, $6 a part of the name, $7 kind, $8 ids. */
function listIdentities(direction: Direction): string {
  const by = ["t.created_at", "t.id"];
  const of = (id: string) => `(select c.created_at, c.id from identities c where c.user_id = $1 and c.id = ${id})`;
  return `
select ${recordColumns(identities, "t")}
from identities t
where t.user_id = $1
  and ($5::text is null or t.identifier_key = $5)
  and ($6::text is null or position(lower($6) in lower(t.name)) > 0)
  and ($7::text is null or t.kind = $7)
  and ($8::text is null or t.id in (${idsIn("$8")}))
  ${inRange({ by, of, direction })}`;
}

/** $1 user. */
const countIdentities = "select count(*)::int as count from identities where user_id = $1";
