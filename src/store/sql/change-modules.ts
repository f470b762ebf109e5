// Changes modules by compare-and-swap and stores revisions.
// Invariant: every change of a value stores its revision in the same statement, so a module's value always equals the text
// after its newest revision.

/**
 * SQL: the CTEs `edited` and `revised`. They follow the CTE with the name `source`, which yields `agent_id`; if that CTE has
 * no row, nothing changes. `changes` and `cause` are SQL for the changes (a JSON array) and their cause (a JSON object); $1
 * is the user. A change names its module by label. It also requires the module's old text, because another module can have
 * the label by now, even with the same revision number. Because of `h.user_id = $1`, only an agent's owner can change modules
 * of scope `agent`. A revision of another user's module has the lowest trust class, and names user $1, but not that user's
 * agent, conversation or message.
 */
export function changeModules(source: string, changes: string, cause: string): string {
  return `edited as (
  update modules m
  set value = x.after, trust = case when m.user_id = $1 then x.trust else 'external' end,
    line_trust = case when m.user_id = $1 then x.line_trust end, revision = m.revision + 1, updated_at = now()
  from ${source} as s, agent_modules h,
    jsonb_to_recordset(${changes}) as x (label text, revision int, before text, after text, trust text, line_trust jsonb)
  where h.user_id = $1 and h.agent_id = s.agent_id and h.label = x.label
    and m.user_id = h.owner_id and m.id = h.module_id and m.revision = x.revision
    and m.value = x.before
  returning m.user_id, m.id, h.agent_id, h.label, m.revision, m.line_trust
), revised as (
  insert into revisions (user_id, module_id, revision, editor_id, agent_id, before, after, origin, client, tool_name, call_id,
    message_id, conversation_id, undoes, trust, line_trust, external)
  select e.user_id, e.id, e.revision, $1, n.agent_id, x.before, x.after, c.origin, c.client, c.tool_name, n.call_id,
    n.message_id, n.conversation_id, x.undoes, case when e.user_id = $1 then x.written else 'external' end,
    case when e.user_id = $1 then coalesce(e.line_trust, x.revision_trust) end, x.external
  from edited e
  join jsonb_to_recordset(${changes}) as x (label text, before text, after text, undoes int, written text, revision_trust jsonb, external jsonb)
    on x.label = e.label
  cross join jsonb_to_record(${cause}) as c (origin text, client text, tool_name text, call_id text, message_id uuid, conversation_id uuid)
  left join lateral (select e.agent_id, c.call_id, c.message_id, c.conversation_id where e.user_id = $1) n on true
)`;
}

/** SQL: the CTE `linked`, which follows those of `changeModules`. Links a message to those whose statements it replaces. */
export function linkStatements(changes: string): string {
  return `linked as (
  insert into later_statements (user_id, earlier_id, later_id, module_id, revision)
  select distinct $1, s.id, (x.restated ->> 'messageId')::uuid, e.id, e.revision
  from edited e
  join jsonb_to_recordset(${changes}) as x (label text, restated jsonb) on x.label = e.label and x.restated is not null
  cross join lateral replaced_statements($1, e.id, e.revision, x.restated -> 'replaced') as s (id)
  where e.user_id = $1 and s.id <> (x.restated ->> 'messageId')::uuid
)`;
}

/**
 * Changes modules outside a turn, for a person or the API. $1 user, $2 agent, $3 changes, $4 cause. Returns the labels that
 * were changed.
 */
export const changeCoreMemory = `
with target as (select $2::uuid as agent_id), ${changeModules("target", "$3::text::jsonb", "$4::text::jsonb")},
${linkStatements("$3::text::jsonb")}
select label from edited`;

/**
 * Changes modules within a turn, without adding a message. Locks the conversation until the commit, if the lease is still
 * held. $1 user, $2 conversation, $3 the fence, $4 the module changes, $5 their cause. Returns one row with the changed
 * labels, or none if the lease was taken over or there is no such conversation.
 */
export const commitMemory = `
with leased as (
  select agent_id from conversations
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  for update
), ${changeModules("leased", "$4::text::jsonb", "$5::text::jsonb")},
${linkStatements("$4::text::jsonb")}
select (select coalesce(jsonb_agg(label), '[]') from edited) as edited
from leased`;

/**
 * Returns one row: how many of a message's changes are already stored. $1 user, $2 agent, $3 message, $4 the changes: label,
 * revision, after.
 */
export const countRevised = `
select count(*)::int as count
from agent_modules h
join revisions r on r.user_id = h.owner_id and r.module_id = h.module_id and r.editor_id = $1
join jsonb_to_recordset($4::text::jsonb) as x (label text, revision int, after text)
  on x.label = h.label and x.revision = r.revision and x.after = r.after
where h.user_id = $1 and h.agent_id = $2::uuid and (r.message_id = $3::uuid or h.owner_id <> $1)`;
