// Lists a user's passages of an agent or of a source, by their time; counts those of an agent, and finds their ids.

/**
 * $1 user, $2 agent or source, $3 and $4 the ids of passages that the others are newer and older than; each null for all;
 * $5 limit.
 */
function listOf(owner: "agent_id" | "source_id", direction: "asc" | "desc"): string {
  const own = `user_id = $1 and ${owner} = $2::uuid and archive_id = $2::uuid`;
  // Not a subquery of two columns: an index cannot be searched with its result.
  const place = (id: string) => `((select created_at from passages where ${own} and id = ${id}::uuid), ${id}::uuid)`;
  return `
select id, content, to_jsonb(tags) as tags, kind, origin, trust, external, importance, created_at, source_id, null as source_name,
  place, replaced_by
from passages
where ${own}
  and ($3::uuid is null or (created_at, id) > ${place("$3")})
  and ($4::uuid is null or (created_at, id) < ${place("$4")})
order by created_at ${direction}, id ${direction} limit $5::int`;
}

export const listPassages = (direction: "asc" | "desc"): string => listOf("agent_id", direction);
/** $1 user, $2 agent. */
export const countPassages =
  "select count(*)::int as passages from passages where user_id = $1 and agent_id = $2::uuid and archive_id = $2::uuid";

/** $1 user, $2 agent, $3 the ends of ids as a JSON array. */
export const idsEnding = `
select id from passages
where user_id = $1 and agent_id = $2::uuid and archive_id = $2::uuid
  and exists (select from jsonb_array_elements_text($3::text::jsonb) e where right(id::text, length(e)) = e)`;

/** $1 user, $2 agent, $3 the hash of the text. */
export const idOfPassage = `
select id from passages where user_id = $1 and archive_id = $2::uuid and content_hash = decode($3, 'hex')`;

export const listPassagesOfSource = (direction: "asc" | "desc"): string => listOf("source_id", direction);
