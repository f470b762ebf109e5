// Common table expressions for the texts that need vectors of an embedder, with which other statements begin.
// Invariant: they contain only agents of which the user has a grant, also an ended one, and the user's own sources.

/**
 * `agents_in_need (agent_id)` and `archives_in_need (id)`: $1 user, $2 embedder, $3 roles as JSON, $4 whether to
 * include agents and sources without an embedder, $5 restriction to these agents as JSON, or null.
 */
export function inNeed(width: number): string {
  return `
agents_in_need as materialized (
  select e.agent_id from agent_embedders e
  where e.user_id = $1 and e.embedder = $2 and e.dimensions = ${width}
    and e.role in (select jsonb_array_elements_text($3::text::jsonb))
    and ($5::text is null or e.agent_id in (select jsonb_array_elements_text($5::text::jsonb)::uuid))
  union
  select g.agent_id from grants g
  where $4::boolean and g.user_id = $1
    and not exists (
      select from agent_embedders e where e.user_id = $1 and e.agent_id = g.agent_id and e.role = 'searched'
    )
    and ($5::text is null or g.agent_id in (select jsonb_array_elements_text($5::text::jsonb)::uuid))
), archives_in_need as materialized (
  select agent_id as id from agents_in_need
  union
  select s.source_id from agent_sources s join agents_in_need n on n.agent_id = s.agent_id where s.user_id = $1
  union
  select s.id from sources s
  where $4::boolean and $5::text is null and s.user_id = $1
    and not exists (select from agent_sources t where t.user_id = $1 and t.source_id = s.id)
)`;
}
