// Changes modules by compare-and-swap and stores revisions.
// Invariant: only this statement writes modules and revisions, so a module always equals the fold of its revisions.

/**
 * The CTEs `edited` and `revised`, which follow a CTE named `source` that yields `agent_id` (or no row, and then
 * nothing changes). `changes` and `cause` are SQL for the changes (a JSON array) and their cause (a JSON object); $1 is
 * the user. `user_id = $1` restricts an agent's own modules to its owner, whose rows they are.
 */
export function changeModules(source: string, changes: string, cause: string): string {
  return `edited as (
  update modules m
  set value = x.after, trust = x.trust, revision = m.revision + 1, updated_at = now()
  from ${source} as s, jsonb_to_recordset(${changes}) as x (label text, revision int, after text, trust text)
  where m.user_id = $1 and m.agent_id = s.agent_id and m.label = x.label and m.revision = x.revision
  returning m.agent_id, m.label, m.revision
), revised as (
  insert into revisions (user_id, agent_id, label, revision, before, after, origin, tool_name, call_id, message_id,
    conversation_id, undoes, trust, external)
  select $1, e.agent_id, e.label, e.revision, x.before, x.after, c.origin, c.tool_name, c.call_id, c.message_id,
    c.conversation_id, x.undoes, x.trust, x.external
  from edited e
  join jsonb_to_recordset(${changes}) as x (label text, before text, after text, undoes int, trust text, external jsonb)
    on x.label = e.label
  cross join jsonb_to_record(${cause}) as c (origin text, tool_name text, call_id text, message_id uuid, conversation_id uuid)
)`;
}
