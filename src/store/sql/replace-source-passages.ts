// Replaces the passages of a source's file: deletes old ones, inserts new ones, and keeps equal ones with their
// vectors.

/** $1 user, $2 file, $3 the hashes of the passages to keep, as JSON. */
export const dropOtherPassages = `
delete from passages where user_id = $1 and file_id = $2::uuid
  and encode(content_hash, 'hex') not in (select jsonb_array_elements_text($3::text::jsonb))`;

/** $1 user, $2 source, $3 file, $4 passages as JSON, $5 now. */
export const addSourcePassages = `
insert into passages (user_id, id, source_id, file_id, place, kind, tags, origin, trust, content, search_text, terms, content_hash,
  created_at)
select $1, p.id, $2::uuid, $3::uuid, p.place, 'document', '{}', 'import', 'external', p.content, p.search_text,
  p.terms::tsvector, decode(p.content_hash, 'hex'), $5::timestamptz
from jsonb_to_recordset($4::text::jsonb)
  as p (id uuid, place jsonb, content text, search_text text, terms text, content_hash text)
on conflict (user_id, archive_id, content_hash) do nothing`;

/** $1 user, $2 file. One row: its current number of passages. */
export const countSourcePassages = `
update source_files set passages = (select count(*) from passages where user_id = $1 and file_id = $2::uuid)
where user_id = $1 and id = $2::uuid returning passages`;
