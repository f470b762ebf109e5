// Lists a user's passages of an agent or of a source, newest first, with their total.

/** $1 user, $2 agent or source, $3 rows to skip, $4 page size. One row of nulls after the total if the page is empty. */
function listOf(owner: "agent_id" | "source_id"): string {
  return `
select t.total, p.id, p.content, to_jsonb(p.tags) as tags, p.kind, p.origin, p.trust, p.external, p.importance, p.created_at,
  p.source_id, null as source_name, p.place
from (select count(*)::int as total from passages where user_id = $1 and ${owner} = $2::uuid and archive_id = $2::uuid) t
left join (
  select * from passages where user_id = $1 and ${owner} = $2::uuid and archive_id = $2::uuid
  order by created_at desc, id desc offset $3::int limit $4::int
) p on true
order by p.created_at desc, p.id desc`;
}

export const listPassages = listOf("agent_id");
export const listPassagesOfSource = listOf("source_id");
