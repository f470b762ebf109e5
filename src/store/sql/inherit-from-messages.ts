// Transfers the memory changes and files of replaced messages to their replacements.

/** $1 user, $2 conversation, $3 pairs of ids as JSON: `old`, `new`. */
export const inheritFromMessages = `
with pair as (
  select p.old, p.new from jsonb_to_recordset($3::text::jsonb) as p (old uuid, new uuid)
), revised as (
  update revisions r set message_id = pair.new from pair
  where r.user_id = $1 and r.conversation_id = $2::uuid and r.message_id = pair.old
), kept as (
  update passages p set message_id = pair.new from pair
  where p.user_id = $1 and p.conversation_id = $2::uuid and p.message_id = pair.old
)
update attachments a set message_id = pair.new from pair
where a.user_id = $1 and a.conversation_id = $2::uuid and a.message_id = pair.old`;
