// The turns that ask for a forgetting: those with a call of the tool `forget` that has one of its texts.
// Invariant: such a turn goes as a whole, on all branches and in forks: its request and its reply say in other words what
// was forgotten. Copies of its sentences elsewhere are not searched: a reply's "Anything else?" is in many turns.
import { storableJson } from "../../base/code-points.ts";
import { emptiedArguments, excerptOf, forgetToolName } from "../../base/message/forget-content.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { ForgettingWork } from "./forgetting-work.ts";

interface CallRow {
  readonly turn_id: string;
  readonly content: string;
  readonly call_id: string;
  readonly approved: string | null;
}

const callsOfForget = `
select m.turn_id, m.content::text as content, c.call_id, c.approved_arguments as approved
from tool_calls c join messages m on m.user_id = c.user_id and m.id = c.message_id
where c.user_id = $1 and c.name = $2`;

/** Returns the ids of the turns' messages. */
export async function messagesOfOwnTurns({
  tx,
  userId,
  redactor,
}: Pick<ForgettingWork, "tx" | "userId" | "redactor">): Promise<readonly string[]> {
  const calls = await tx.run<CallRow>(callsOfForget, [userId, forgetToolName]);
  const turns = calls.filter((call) => argumentsOf(call).some((text) => excerptOf(text, redactor) !== null));
  const rows = await tx.run<{ readonly id: string }>(
    `select id from messages
     where user_id = $1 and turn_id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)`,
    [userId, storableJson([...new Set(turns.map((call) => call.turn_id))])],
  );
  return rows.map(({ id }) => id);
}

/** The model's, and those that the user approved instead. */
function argumentsOf({ content, call_id: callId, approved }: CallRow): readonly string[] {
  const parts = JSON.parse(content) as readonly ContentPart[];
  const own = parts.flatMap((part) => (part.type === "tool-call" && part.callId === callId ? [part.arguments] : []));
  return approved === null ? own : [...own, approved];
}

const emptyCalls = `
update tool_calls
set requested_arguments = case when requested_arguments is null then null when name = $3 then $4 else '{}' end,
  approved_arguments = case when approved_arguments is null then null when name = $3 then $4 else '{}' end,
  preview = case when preview is null then null else $5 end,
  reason = case when reason is null then null else $5 end
where user_id = $1 and message_id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)`;

/** What was asked and shown about the calls of the turns. */
export async function emptyOwnCalls({ tx, userId, ownMessages }: ForgettingWork): Promise<void> {
  const ids = storableJson([...ownMessages]);
  await tx.run(emptyCalls, [userId, ids, forgetToolName, emptiedArguments(forgetToolName), forgottenMark]);
}
