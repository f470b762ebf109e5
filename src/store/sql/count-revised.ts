// Counts which of a message's core memory changes are stored.

/** $1 user, $2 agent, $3 message, $4 the revisions as JSON: label, revision, after. One row: their number. */
export const countRevised = `
select count(*)::int as count
from agent_modules h
join revisions r on r.user_id = h.owner_id and r.module_id = h.module_id and r.editor_id = $1
join jsonb_to_recordset($4::text::jsonb) as x (label text, revision int, after text)
  on x.label = h.label and x.revision = r.revision and x.after = r.after
where h.user_id = $1 and h.agent_id = $2::uuid and (r.message_id = $3::uuid or h.owner_id <> $1)`;
