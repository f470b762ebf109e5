// Statements on the tables of vectors, one for each width: `passages_512` and the like.
// Invariant: a table's name is made of a whole number, so nothing of a person's stands in a statement.

/** $1 the width. Makes its tables if they are not there. */
export const ensureVectorTables = "select ensure_vector_tables($1::int)";

/** Of an archive, oldest first: $1 user, $2 archive, $3 embedder, $4 how many. */
export function passagesWithoutVector(width: number): string {
  return `
select p.id, p.content
from passages p
where p.user_id = $1 and p.archive_id = $2::uuid
  and not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $3)
order by p.created_at, p.id
limit $4::int`;
}

/** $1 user, $2 archive, $3 embedder, $4 rows as JSON. Passages deleted meanwhile are passed over; a second vector replaces the first. */
export function addPassageVectors(width: number): string {
  return `
insert into passages_${width} (user_id, archive_id, passage_id, embedder, embedding)
select p.user_id, p.archive_id, p.id, $3, r.vector::vector
from jsonb_to_recordset($4::text::jsonb) as r (passage_id uuid, vector text)
join passages p on p.user_id = $1 and p.archive_id = $2::uuid and p.id = r.passage_id
on conflict (user_id, passage_id, embedder) do update set embedding = excluded.embedding`;
}

/** By archive, only those that have any: $1 user, $2 embedder. */
export function countWithoutVector(width: number): string {
  return `
select p.archive_id as "archiveId", count(*)::int as passages
from passages p
where p.user_id = $1
  and not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $2)
group by p.archive_id
order by p.archive_id`;
}
