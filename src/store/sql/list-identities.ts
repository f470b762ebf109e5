// Lists identities, page by page.
import { idsIn } from "../uuid.ts";

/**
 * $1 user, $2 key, $3 a part of the name, $4 kind, $5 and $6 the ids of a newer and an older identity between which the others
 * are; each null for all; $7 limit; $8 ids, null for all.
 */
export function listIdentities(order: "asc" | "desc"): string {
  const place = (id: string) =>
    `(select c.created_at, c.id from identities c where c.user_id = $1 and c.id = ${id}::uuid)`;
  return `
select t.id, t.identifier_key as "identifierKey", t.name, t.kind, t.properties, t.created_at as "createdAt"
from identities t
where t.user_id = $1
  and ($2::text is null or t.identifier_key = $2)
  and ($3::text is null or position(lower($3) in lower(t.name)) > 0)
  and ($4::text is null or t.kind = $4)
  and ($5::uuid is null or (t.created_at, t.id) < ${place("$5")})
  and ($6::uuid is null or (t.created_at, t.id) > ${place("$6")})
  and ($8::text is null or t.id in (${idsIn("$8")}))
order by t.created_at ${order}, t.id ${order}
limit $7::int`;
}

/** $1 user. */
export const countIdentities = "select count(*)::int as count from identities where user_id = $1";
