// Stores a tool's result with all memory changes of the tool.
// Invariant: all of it is stored or nothing: the statement fails if the call is neither pending nor waits for its result, or a module was not changed.
import { addPassages } from "./add-passages.ts";
import { appendMessages } from "./append-messages.ts";
import { changeModules } from "./change-modules.ts";
import { logStep } from "./commit-reply.ts";
import { keepEvents } from "./keep-events.ts";

const settled = `settled as (
  update tool_calls t
  set status = $8, result_message_id = ($4::text::jsonb -> -1 ->> 'id')::uuid, settled_at = now()
  from moved
  where t.user_id = $1 and t.message_id = $6::uuid and t.call_id = $7 and t.conversation_id = $2::uuid and t.status in ('pending', 'awaiting-result')
  returning 1
)`;

/**
 * After $5: $6 the call's message, $7 the call, $8 its status, $9 the module changes, $10 their cause, $11 the
 * passages, $12 to $16 events. Only a call without a result is settled, so no result is stored twice. One row, or none if the leaf is another. Fails as
 * a refused write (`isRefusedWrite`) otherwise.
 */
export const commitToolResult = statementFor(settled);

/** The same for a reply with one call and the call's result, in $4: $17 the tool's name, $18 the step as JSON. */
export const commitReplyWithResult = statementFor(`settled as (
  insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status, result_message_id, settled_at)
  select $1, moved.agent_id, $2::uuid, $6::uuid, $7, 0, $17, $8, ($4::text::jsonb -> -1 ->> 'id')::uuid, now()
  from moved
  returning 1
), ${logStep("$18")}`);

function statementFor(settle: string): string {
  return `${appendMessages()}, ${settle}, ${changeModules("moved", "$9::text::jsonb", "$10::text::jsonb")},
${addPassages("moved", "$11::text::jsonb")}, ${keepEvents("moved", 12)}
select refuse_unless((select count(*) from settled) = 1 and (select count(*) from edited) = jsonb_array_length($9::text::jsonb))
from moved`;
}
