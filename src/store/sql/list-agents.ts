// Lists, counts and describes the agents that a user may use.
// Invariant: the user's own agents precede those of other users in either order.
import { idsIn } from "../uuid.ts";
import { agentColumns } from "./read-opening.ts";

const usable = (rank: string) => `
with usable as (
  select a.user_id, a.id, a.created_at, ${rank} as rank
  from grants g
  join agents a on a.user_id = g.owner_id and a.id = g.agent_id
  where g.user_id = $1 and g.is_usable
)`;

/**
 * Returns the ids of a list. $1 user, $2 and $3 owner and name, $4 tags as a JSON array, $5 whether an agent has all of them, $6 a
 * text of the name or the description, $7 and $8 the ids of agents that the others are newer and older than; each null for all; $9
 * limit.
 */
export function listAgents(order: "oldest" | "newest", direction: "asc" | "desc"): string {
  const place = (id: string) => `(select c.rank, c.created_at, c.id from usable c where c.id = ${id}::uuid)`;
  return `${usable(order === "oldest" ? "a.user_id <> $1" : "a.user_id = $1")}
select u.id from usable u
join agents a on a.user_id = u.user_id and a.id = u.id
where ($3::text is null or (a.user_id = $2 and a.name = $3))
  and ($4::jsonb is null or case when $5::boolean then a.tags::jsonb @> $4::jsonb
    else exists (select from jsonb_array_elements_text($4::jsonb) w where a.tags::jsonb ? w) end)
  and ($6::text is null or position(lower($6) in lower(a.name || ' ' || coalesce(a.description, ''))) > 0)
  and ($7::uuid is null or (u.rank, u.created_at, u.id) > ${place("$7")})
  and ($8::uuid is null or (u.rank, u.created_at, u.id) < ${place("$8")})
order by u.rank ${direction}, u.created_at ${direction}, u.id ${direction}
limit $9::int`;
}

/** $1 user, $2 ids as a JSON array. */
export const agentsOfIds = `
select ${agentColumns} from grants g
join agents a on a.user_id = g.owner_id and a.id = g.agent_id
where g.user_id = $1 and g.is_usable and g.agent_id in (${idsIn("$2")})`;

/** $1 user. */
export const countAgents = `${usable("true")}
select count(*)::int as count from usable`;

/** $1 user. */
export const tagsOfAgents = `${usable("true")}
select distinct t.tag from usable u
join agents a on a.user_id = u.user_id and a.id = u.id, jsonb_array_elements_text(a.tags::jsonb) t (tag) order by 1`;
