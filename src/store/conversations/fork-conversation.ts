// Creates a conversation as a copy of another conversation's thread, with the summaries in its window.
// Invariant: everything is copied or nothing, and the original is unchanged; a thread with a pending call is not copied, since
// the call would run twice. Positions are kept, so the copy's window equals the original's. Turns get new ids, because the
// events and the end of a turn belong to one conversation. Copied messages have no `search_text`, so a search finds each text
// only once, in the original.
import { RequestError } from "../../base/errors.ts";
import { grantEnded } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { ConversationRecord } from "../port/records.ts";
import type { ConversationFork } from "../port/conversation-store.ts";
import { conversationNotFound } from "./conversation-faults.ts";
import { conversationColumns } from "./conversation-rows.ts";

export async function forkConversation(
  tx: Transaction,
  userId: string,
  { conversationId, id, newId }: ConversationFork,
): Promise<ConversationRecord> {
  type Original = Readonly<Record<"isOpen" | "isWaiting", boolean>>;
  const [original] = await tx.run<Original>(lockConversation, [userId, conversationId]);
  if (original === undefined) throw conversationNotFound(conversationId);
  if (!original.isOpen) throw grantEnded();
  if (original.isWaiting) {
    throw new RequestError(
      "message_refused",
      "Expected a conversation without pending tool calls, got one with a call that has no result yet. A copy would run the call again. Decide about the call, or finish the turn, before you copy the conversation.",
    );
  }
  const ids = await tx.run<{ readonly id: string }>(forkedIds, [userId, conversationId]);
  const parameters = [userId, conversationId, id, ids.map((row) => ({ old: row.id, new: newId() }))];
  const [copied] = await tx.run<ConversationRecord>(copyConversation, parameters);
  if (copied === undefined)
    throw new RequestError(
      "message_refused",
      "Expected a conversation with messages, got an empty one. Send a message first.",
    );
  await tx.run(copyMessages, parameters);
  await tx.run(copyCompactions, parameters);
  return copied;
}

/**
 * $1 user, $2 conversation. Locks the conversation until the transaction ends. Returns one row, or none for an unknown
 * conversation.
 */
const lockConversation = `
select v.is_open as "isOpen", exists (
    select from tool_calls c join messages m on m.user_id = c.user_id and m.id = c.message_id
    where c.user_id = v.user_id and c.conversation_id = v.id and c.status in ('pending', 'awaiting-approval', 'awaiting-result', 'awaiting-reply') and m.on_thread
  ) as "isWaiting"
from conversations v where v.user_id = $1 and v.id = $2::uuid for update`;

/**
 * $1 user, $2 conversation. Selects the ids that the copy replaces: those of the thread's messages, of their turns, and of
 * the compactions that end on the thread. An imported turn has the id of one of its messages.
 */
const forkedIds = `
select m.id from messages m where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread
union
select m.turn_id from messages m where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread
union
select c.id from compactions c join messages m on m.user_id = c.user_id and m.id = c.through_id and m.on_thread
where c.user_id = $1 and c.conversation_id = $2::uuid and c.undone_at is null`;

const pair = "pair as (select old, new from jsonb_to_recordset($4::text::jsonb) as p (old uuid, new uuid))";

/**
 * $1 user, $2 conversation, $3 the id of the copy, $4 pairs of ids: `old`, `new`. `copyMessages` and `copyCompactions` have the
 * same parameters.
 */
const copyConversation = `
with ${pair}
insert into conversations (user_id, id, agent_id, title, leaf_id, leaf_position, window_version, memory_snapshot)
select v.user_id, $3::uuid, v.agent_id, v.title, pair.new, v.leaf_position, v.window_version, v.memory_snapshot
from conversations v join pair on pair.old = v.leaf_id
where v.user_id = $1 and v.id = $2::uuid
returning ${conversationColumns}`;

const copyMessages = `
with ${pair}
insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, speaker, kind, status,
  content, text, tokens, trust, created_at, stated)
select m.user_id, pair.new, m.agent_id, $3::uuid, above.new, turn.new, m.position, m.author, m.role, m.speaker, m.kind,
  m.status, m.content, m.text, m.tokens, m.trust, m.created_at, m.stated
from messages m join pair on pair.old = m.id join pair turn on turn.old = m.turn_id
  left join pair above on above.old = m.parent_id
where m.user_id = $1 and m.conversation_id = $2::uuid`;

const copyCompactions = `
with ${pair}
insert into compactions (user_id, id, agent_id, conversation_id, window_version, strategy, from_position, through_id,
  through_position, summary, thread_messages, range_tokens, tokens_before, tokens_after, model, input_tokens, output_tokens,
  cached_input_tokens, dollars, focus, trust, created_at)
select c.user_id, pair.new, c.agent_id, $3::uuid, c.window_version, c.strategy, c.from_position, through.new,
  c.through_position, c.summary, c.thread_messages, c.range_tokens, c.tokens_before, c.tokens_after, c.model, c.input_tokens,
  c.output_tokens, c.cached_input_tokens, c.dollars, c.focus, c.trust, c.created_at
from compactions c join pair on pair.old = c.id join pair through on through.old = c.through_id
where c.user_id = $1 and c.conversation_id = $2::uuid`;
