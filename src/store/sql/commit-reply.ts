// Stores a model's reply: its message, its tool calls as pending, and the log of the model call.
// Invariant: a reply is never stored without the rows of its calls that are still to be run.
import { callNext } from "./call-next.ts";
import { appendMessages, type AppendOptions, underLease } from "./append-messages.ts";
import { keepEvents } from "./keep-events.ts";

/**
 * After $5: $6 the tool calls, $7 the step, both as JSON, $8 to $12 events. One row if it was stored, none if the leaf is
 * another.
 */
export const commitReply = statementFor({ lease: underLease, change: "" }, "1");

/** The same, and releases the lease. */
export const commitLastReply = statementFor(
  { lease: underLease, change: ", lease_holder = null, lease_expires_at = null" },
  callNext,
);

function statementFor(options: AppendOptions, answer: string): string {
  return `${appendMessages(options)}, called as (
  insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status)
  select $1, moved.agent_id, $2::uuid, c.message_id, c.call_id, c.position, c.name, 'pending'
  from moved, jsonb_to_recordset($6::text::jsonb) as c (message_id uuid, call_id text, position int, name text)
), ${logStep("$7")}, ${keepEvents("moved", 8)}
select ${answer} from moved`;
}

/** The CTE `logged`, which follows `moved`. `step` is a parameter with the step as JSON. */
export function logStep(step: string): string {
  return `logged as (
  insert into steps (user_id, id, agent_id, conversation_id, turn_id, number, message_id, model, finish,
    input_tokens, output_tokens, cached_input_tokens, report)
  select $1, s.id, moved.agent_id, $2::uuid, s.turn_id, s.number, s.message_id, s.model, s.finish,
    s.input_tokens, s.output_tokens, s.cached_input_tokens, s.report
  from moved, jsonb_to_record(${step}::text::jsonb) as s (id uuid, turn_id uuid, number int, message_id uuid, model text,
    finish text, input_tokens int, output_tokens int, cached_input_tokens int, report jsonb)
)`;
}
