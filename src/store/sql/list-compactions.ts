// Lists the compactions of a conversation, including undone and superseded ones, newest first.

/** $1 user, $2 conversation, $3 maximum rows. */
export const listCompactions = `
select * from compactions
where user_id = $1 and conversation_id = $2::uuid
order by window_version desc, through_position desc
limit $3::int`;
