// Stores events of a turn that runs, with no other write, or in the transaction of one.
// Invariant: nothing is stored for a process that lost the lease.
import { keepEvents } from "./keep-events.ts";

/** $1 user, $2 conversation, $3 the lease's fence, then the parameters of `keepEvents`. */
export const appendEvents = `
with held as (
  select agent_id from conversations
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int and lease_holder is not null
  for share
), ${keepEvents("held", 4)}
select 1`;
