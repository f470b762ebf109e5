// Stores a model's reply: its message, its tool calls as pending, and the log of the model call.
// Invariant: a reply is never stored without a row in `tool_calls` for each call that is still to be run.
import { callNext } from "./call-next.ts";
import { appendMessages, type AppendOptions, underLease } from "./append-messages.ts";
import { givenRows, usageFields } from "../own-rows.ts";
import { steps } from "../schema.ts";
import { addPassages } from "./add-passages.ts";
import { changeModules, linkStatements } from "./change-modules.ts";
import { keepEvents } from "./keep-events.ts";

const givenSteps = givenRows(steps, `id turnId number messageId model finish ${usageFields} report`);

/**
 * Stores a reply. $1 to $5 as in `appendMessages`, $6 the tool calls, $7 a list that contains the step, $8 to $12 the events.
 * Returns one row; none if the lease is lost or the leaf is not the expected one.
 */
export const commitReply = replyStatement({ lease: underLease, change: "" }, "1");

/** Stores a reply like `commitReply`, and releases the lease. */
export const commitLastReply = replyStatement(
  { lease: underLease, change: ", lease_holder = null, lease_expires_at = null" },
  callNext,
);

function replyStatement(options: AppendOptions, answer: string): string {
  return `${appendMessages(options)}, called as (
  insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status)
  select $1, moved.agent_id, $2::uuid, c.message_id, c.call_id, c.position, c.name, 'pending'
  from moved, jsonb_to_recordset($6::text::jsonb) as c (message_id uuid, call_id text, position int, name text)
), ${logStep("$7")}, ${keepEvents("moved", 8)}
select ${answer} from moved`;
}

/** SQL: the CTE `logged`, which follows `moved`. `step` is the parameter that holds a list with the step. */
function logStep(step: string): string {
  return `logged as (
  insert into steps (user_id, agent_id, conversation_id, ${givenSteps.columns})
  select $1, moved.agent_id, $2::uuid, ${givenSteps.values} from moved, ${givenSteps.from(step)}
)`;
}

const settled = `settled as (
  update tool_calls t
  set status = $8, result_message_id = ($4::text::jsonb -> -1 ->> 'id')::uuid, settled_at = now()
  from moved
  where t.user_id = $1 and t.message_id = $6::uuid and t.call_id = $7 and t.conversation_id = $2::uuid and t.status in ('pending', 'awaiting-result', 'awaiting-reply')
  returning 1
)`;

/**
 * Stores a tool result. $1 to $5 as in `appendMessages`, $6 the call's message, $7 the call, $8 its status, $9 module changes,
 * $10 their cause, $11 passages, $12 to $16 events. Returns one row; none if the lease is lost or the leaf is not the expected
 * one. Fails with a refused write (`isRefusedWrite`) if the call has a result already, or a module change does not apply.
 */
export const commitToolResult = resultStatements(settled);

/**
 * Stores a reply with one call, and the result of the call, both in $4. The parameters are those of `commitToolResult`, $17 the
 * tool's name and $18 a list with the step.
 */
export const commitReplyWithResult = resultStatements(`settled as (
  insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status, result_message_id, settled_at)
  select $1, moved.agent_id, $2::uuid, $6::uuid, $7, 0, $17, $8, ($4::text::jsonb -> -1 ->> 'id')::uuid, now()
  from moved
  returning 1
), ${logStep("$18")}`);

interface ResultStatements {
  /** SQL for changes that replace nothing the user said. Omits the CTE `linked`: planning it takes a tenth of a turn's time. */
  readonly plain: string;
  /** SQL for changes that replace what the user said earlier; also links the messages of both statements. */
  readonly linking: string;
}

function resultStatements(settle: string): ResultStatements {
  const statementWith = (
    more: string,
  ) => `${appendMessages()}, ${settle}, ${changeModules("moved", "$9::text::jsonb", "$10::text::jsonb")},
${addPassages("moved", "$11")}, ${keepEvents("moved", 12)}${more}
select refuse_unless((select count(*) from settled) = 1 and (select count(*) from edited) = jsonb_array_length($9::text::jsonb))
from moved`;
  return { plain: statementWith(""), linking: statementWith(`, ${linkStatements("$9::text::jsonb")}`) };
}
