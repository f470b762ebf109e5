// Counts searches that showed a passage.

/** $1 user, $2 ids as JSON, $3 now. */
export const countAccesses = `
update passages set access_count = access_count + 1, accessed_at = $3::timestamptz
where user_id = $1 and id = any (array(select a.id::uuid from jsonb_array_elements_text($2::text::jsonb) a (id)))`;
