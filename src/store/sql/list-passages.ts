// Lists a user's passages of an agent or of a source, by their time, with their total.

/**
 * $1 user, $2 agent or source, $3 and $4 the ids of passages that the others are newer and older than; each null for all;
 * $5 limit. The total counts all passages. One row of nulls after the total if no passage is in the range.
 */
function listOf(owner: "agent_id" | "source_id", direction: "asc" | "desc"): string {
  const own = `user_id = $1 and ${owner} = $2::uuid and archive_id = $2::uuid`;
  // Not a subquery of two columns: an index cannot be searched with its result.
  const place = (id: string) => `((select created_at from passages where ${own} and id = ${id}::uuid), ${id}::uuid)`;
  return `
select t.total, p.id, p.content, to_jsonb(p.tags) as tags, p.kind, p.origin, p.trust, p.external, p.importance, p.created_at,
  p.source_id, null as source_name, p.place
from (select count(*)::int as total from passages where ${own}) t
left join (
  select * from passages
  where ${own}
    and ($3::uuid is null or (created_at, id) > ${place("$3")})
    and ($4::uuid is null or (created_at, id) < ${place("$4")})
  order by created_at ${direction}, id ${direction} limit $5::int
) p on true
order by p.created_at ${direction}, p.id ${direction}`;
}

export const listPassages = (direction: "asc" | "desc"): string => listOf("agent_id", direction);
export const listPassagesOfSource = (direction: "asc" | "desc"): string => listOf("source_id", direction);
