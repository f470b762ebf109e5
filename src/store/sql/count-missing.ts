// Counts the conversations, messages and passages that are not stored yet.

/**
 * $1 user, $2 agent; as JSON arrays $3 ids of conversations, $4 ids of messages, $5 passages with `id` and `hash`, the SHA-256 of
 * their content in hexadecimal digits. A passage is stored if its id or its content is.
 */
export const countMissing = `
select
  (select count(*) from jsonb_array_elements_text($3::text::jsonb) g
    where not exists (select from conversations x where x.user_id = $1 and x.id = g::uuid))::int as conversations,
  (select count(*) from jsonb_array_elements_text($4::text::jsonb) g
    where not exists (select from messages x where x.user_id = $1 and x.id = g::uuid))::int as messages,
  (select count(*) from jsonb_to_recordset($5::text::jsonb) as g (id uuid, hash text)
    where not exists (select from passages x where x.user_id = $1 and x.id = g.id)
      and not exists (
        select from passages x where x.user_id = $1 and x.archive_id = $2::uuid and x.content_hash = decode(g.hash, 'hex')
      ))::int as passages`;
