// Takes the lease of a conversation, if it is this claimant's turn.
// Invariant: only one of several concurrent claimants gets it, because all of them lock the conversation's row; a
// claimant that already has it gets it again, under a new fence.
import { waitsUntil } from "./sender-waits.ts";

/**
 * $1 user, $2 conversation, $3 the new holder, $4 milliseconds that the lease is valid, $5 the key of the claimant's
 * queued input or null, $6 a fence whose holder is known to be gone, or null, $7 whether it goes before all queued inputs. One row, or none for an unknown conversation: `fence`, `leaf_id` and `window_version` if it was taken;
 * otherwise the holder, and how many inputs go first. `waits` says whether the claimant's input is still queued,
 * `is_open` whether the conversation may be written at all.
 */
export const takeLease = `
with own as (
  update inputs set waits_until = ${waitsUntil}
  where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $5 and status = 'queued'
  returning created_at, idempotency_key
), ahead as (
  select count(*)::int as count
  from inputs i
  where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'queued' and i.waits_until > now()
    and i.idempotency_key is distinct from $5
    and coalesce((select (i.created_at, i.idempotency_key) < (own.created_at, own.idempotency_key) from own), true)
), taken as (
  update conversations
  set lease_fence = lease_fence + 1, lease_holder = $3, lease_expires_at = now() + $4::float8 * interval '1 millisecond'
  where user_id = $1 and id = $2::uuid and is_open
    and (lease_holder is null or lease_holder = $3 or lease_expires_at <= now() or lease_fence = $6::int)
    and ($5::text is null or exists (select from own))
    and ($7::boolean or (select count from ahead) = 0)
  returning lease_fence, leaf_id, window_version
)
select taken.lease_fence as fence, taken.leaf_id, taken.window_version, v.lease_fence as held_fence, v.lease_holder as holder,
  v.is_open, (select count from ahead) as ahead, $5::text is null or exists (select from own) as waits
from conversations v
left join taken on true
where v.user_id = $1 and v.id = $2::uuid`;
