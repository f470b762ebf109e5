// Stores the results of calls that the caller ran.
// Invariant: all of it is stored or nothing: the statement fails if one of the calls does not wait for its result.
import { appendMessages } from "./append-messages.ts";
import { goOnWithTurnOf } from "./left-turns.ts";

/**
 * After $5: $6 the calls' message, $7 per call its id, its status and the message with its result, as JSON. One row, or none
 * if the leaf is another. Fails as a refused write (`isRefusedWrite`) otherwise.
 */
export const answerCalls = `${appendMessages()}, settled as (
  update tool_calls t
  set status = x.status, result_message_id = x.message_id, settled_at = now()
  from moved, jsonb_to_recordset($7::text::jsonb) as x (call_id text, status text, message_id uuid)
  where t.user_id = $1 and t.message_id = $6::uuid and t.call_id = x.call_id and t.conversation_id = $2::uuid
    and t.status = 'awaiting-result'
  returning 1
), continued as (${goOnWithTurnOf("$6")})
select refuse_unless((select count(*) from settled) = jsonb_array_length($7::text::jsonb))
from moved`;
