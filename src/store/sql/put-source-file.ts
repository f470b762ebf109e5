// Records a file of a source as loaded or failed.
// Invariant: a failure keeps the number of passages, which are from an earlier load.

/**
 * $1 user, $2 id for a new file, $3 source, $4 path, $5 kind, $6 size, $7 hash, $8 status, $9 reason, $10 now. One row:
 * the file's id. Its row stays locked until the transaction ends, so concurrent loads of a file run one after the
 * other.
 */
export const putSourceFile = `
insert into source_files as f (user_id, id, source_id, path, kind, size, content_hash, status, reason, passages, loaded_at)
values ($1, $2::uuid, $3::uuid, $4, $5, $6::float8::bigint, decode($7, 'hex'), $8, $9, 0, $10::timestamptz)
on conflict (user_id, source_id, path) do update set kind = excluded.kind, size = excluded.size,
  content_hash = excluded.content_hash, status = excluded.status, reason = excluded.reason, loaded_at = excluded.loaded_at
returning f.id`;
