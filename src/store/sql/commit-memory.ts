// Changes core memory within a turn, without a message.
// Invariant: the conversation is locked under the lease until the change is committed, so a process that lost the lease
// writes nothing.
import { changeModules } from "./change-modules.ts";

/**
 * $1 user, $2 conversation, $3 the fence, $4 the module changes, $5 their cause, both JSON. One row with the changed
 * labels, or none if the lease was taken over or there is no such conversation.
 */
export const commitMemory = `
with leased as (
  select agent_id from conversations
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  for update
), ${changeModules("leased", "$4::text::jsonb", "$5::text::jsonb")}
select (select coalesce(jsonb_agg(label), '[]') from edited) as edited
from leased`;
