// Undoes compactions of a conversation, under the lease, from one version of the window on.
// Invariant: all later compactions are undone too, on every branch, so none is left that builds on an undone one.

/** $1 user, $2 conversation, $3 the fence, $4 the first version to undo. No row: the lease is not held. */
export const undoCompactions = `
with moved as (
  update conversations set window_version = window_version + 1
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  returning 1
), undone as (
  update compactions set undone_at = now()
  from moved
  where user_id = $1 and conversation_id = $2::uuid and window_version >= $4::int and undone_at is null
)
select 1 from moved`;

/**
 * $1 user, $2 conversation, $3 a position. Whether the thread still has every message after it: retention may have
 * dropped some.
 */
export const isThreadComplete = `
select v.leaf_position - $3::int = (
  select count(*) from messages m
  where m.user_id = v.user_id and m.conversation_id = v.id and m.position > $3::int and m.on_thread
) as whole
from conversations v where v.user_id = $1 and v.id = $2::uuid`;
