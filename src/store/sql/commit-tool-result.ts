// Stores a tool's result with all memory changes of the tool.
// Invariant: one statement; the caller rolls back if fewer modules were changed than it has changes for.
import { addPassages } from "./add-passages.ts";
import { appendMessages } from "./append-messages.ts";
import { changeModules } from "./change-modules.ts";

/**
 * After $5: $6 the call's message, $7 the call, $8 its status, $9 the module changes, $10 their cause, $11 the
 * passages. Only a pending call is settled, so no result is stored twice. One row, or none if the leaf is another.
 */
export const commitToolResult = `${appendMessages()}, settled as (
  update tool_calls t
  set status = $8, result_message_id = ($4::text::jsonb -> 0 ->> 'id')::uuid, settled_at = now()
  from moved
  where t.user_id = $1 and t.message_id = $6::uuid and t.call_id = $7 and t.conversation_id = $2::uuid and t.status = 'pending'
  returning 1
), ${changeModules("moved", "$9::text::jsonb", "$10::text::jsonb")},
${addPassages("moved", "$11::text::jsonb")}
select (select count(*)::int from settled) as settled, (select coalesce(jsonb_agg(label), '[]') from edited) as edited
from moved`;
