// Lists and changes modules as rows of their own.
// Invariant: a user finds only own modules and those whose grant this user accepted; a value changes together with its
// revision.

const columns = `m.id, m.user_id, m.label, m.description, m.value, m.max_length, m.read_only, m.revision, m.tags, m.metadata,
  m.created_at, m.updated_at, case when m.user_id = $1 then m.trust else 'external' end as trust,
  case when m.user_id = $1 then 'own' else g.access end as access`;

/** The modules that $1 can use: own ones before others of the same id. */
const usable = `modules m
left join module_grants g on g.user_id = $1 and g.owner_id = m.user_id and g.module_id = m.id and g.is_accepted
where (m.user_id = $1 or g.user_id is not null)`;

/** The owner of the module $2 that $1 can use. */
const ownerOf = `(
  select o.user_id from (
    select m.user_id from modules m where m.user_id = $1 and m.id = $2::uuid
    union all
    select g.owner_id from module_grants g where g.user_id = $1 and g.module_id = $2::uuid and g.is_accepted
  ) o
  order by o.user_id <> $1, o.user_id
  limit 1
)`;

/** $1 user, $2 id. */
export const findModule = `select ${columns} from ${usable} and m.id = $2::uuid and m.user_id = ${ownerOf}`;

/**
 * $1 user, $2 label, $3 tags as a JSON array, $4 a text, $5 and $6 the ids of a newer and an older module between which the
 * others are, $7 the id of an agent that holds them; each null for all; $8 limit.
 */
export function listModules(order: "asc" | "desc"): string {
  const place = (id: string) =>
    `(select c.created_at, c.id from modules c where c.id = ${id}::uuid order by c.user_id <> $1 limit 1)`;
  return `
select ${columns} from ${usable}
  and ($2::text is null or m.label = $2)
  and ($3::jsonb is null or exists (select from jsonb_array_elements_text($3::jsonb) w where m.tags::jsonb ? w))
  and ($4::text is null or position(lower($4) in lower(concat_ws(' ', m.label, m.description, m.value))) > 0)
  and ($5::uuid is null or (m.created_at, m.id) < ${place("$5")})
  and ($6::uuid is null or (m.created_at, m.id) > ${place("$6")})
  and ($7::uuid is null or exists (
    select from agent_modules h
    where h.user_id = $1 and h.agent_id = $7::uuid and h.owner_id = m.user_id and h.module_id = m.id
  ))
order by m.created_at ${order}, m.id ${order}
limit $8::int`;
}

/** $1 user, $2 id, $3 the revision that it must be at, $4 the new value. A row if it was changed. */
export const changeValue = `
with old as (
  select m.user_id, m.id, m.value from modules m
  where m.id = $2::uuid and m.user_id = ${ownerOf} and m.revision = $3::int
  for update
), edited as (
  update modules m
  set value = $4, trust = case when m.user_id = $1 then 'user' else 'external' end, line_trust = null,
    revision = m.revision + 1, updated_at = now()
  from old where m.user_id = old.user_id and m.id = old.id and m.revision = $3::int
  returning m.user_id, m.id, m.revision, m.trust, old.value as before
)
insert into revisions (user_id, module_id, revision, editor_id, before, after, origin, trust)
select user_id, id, revision, $1, before, $4, 'api', trust from edited
returning revision`;

/** $1 user, $2 id, $3 maximum. */
export const revisionsOfModule = `
select r.module_id as "moduleId", m.label, r.revision, r.before, r.after, r.origin, r.client, r.editor_id as "editorId",
  r.agent_id as "agentId", r.tool_name as "toolName", r.call_id as "callId", r.message_id as "messageId",
  r.conversation_id as "conversationId", r.undoes, r.trust, r.line_trust as "lineTrust",
  r.external, r.created_at as "createdAt"
from modules m join revisions r on r.user_id = m.user_id and r.module_id = m.id
where m.id = $2::uuid and m.user_id = ${ownerOf}
order by r.revision desc
limit $3::int`;

/** $1 user, $2 id. */
export const holdersOfModule = `
select h.agent_id as "agentId", a.user_id as "ownerId", a.name
from agent_modules h
join grants g on g.user_id = $1 and g.agent_id = h.agent_id
join agents a on a.user_id = g.owner_id and a.id = h.agent_id
where h.user_id = $1 and h.module_id = $2::uuid and h.owner_id = ${ownerOf}
order by a.name, h.agent_id`;
