// Moves a conversation's leaf to another message of its tree, and updates which messages are on the thread.
// Invariant: afterwards a message is on the thread exactly if it is the leaf or an ancestor of it; a passage is deleted only
// if all calls that added it are in abandoned messages; references to a replaced message name its replacement; a turn that
// the move reopens is unfinished from then on.
import { changeInOrder } from "../agents/module-changes.ts";
import { passageOfRow, type PassageRow } from "../archive/passage-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { LeafMove, LeafMoved } from "../port/conversation-store.ts";
import type { Lease } from "../port/turn-store.ts";
import { appendToThread } from "../sql/append-messages.ts";
import { reopenParameters, reopenTurn } from "../sql/unfinished-turns.ts";
import { messageNotFound, refusedWrite, requireConversation } from "./conversation-faults.ts";
import { rowsOfMessages } from "./message-rows.ts";

interface MoveRow {
  readonly moved: boolean;
  readonly found: boolean;
  readonly agent_id: string | null;
  readonly passages: readonly PassageRow[];
}

type Move = LeafMove & { readonly lease: Lease };

/**
 * Moves the leaf, and returns the passages that were deleted. Throws RequestError `conversation_not_found`,
 * `message_not_found`, `lease_lost` and `agent_busy`.
 */
export async function moveTo(tx: Transaction, userId: string, move: Move): Promise<LeafMoved> {
  const { lease, from, to, changes = [], passages: added = "keep", reopens } = move;
  const { conversationId, fence } = lease;
  const parameters = [userId, conversationId, from, to, fence, added === "delete"];
  const [done] = await tx.run<MoveRow>(moveLeaf, parameters);
  if (done?.moved && done.agent_id !== null) {
    await replaceMessages(tx, userId, move);
    await changeInOrder(tx, { userId, agentId: done.agent_id }, changes, { origin: "user", conversationId });
    if (reopens !== undefined) await tx.run(reopenTurn, reopenParameters(userId, lease, reopens));
    return { deletedPassages: done.passages.map(passageOfRow) };
  }
  await requireConversation(tx, userId, conversationId);
  throw done?.found ? await refusedWrite(tx, userId, lease) : messageNotFound();
}

/** Appends the replacements after `to`, the new leaf. The replaced messages have left the thread. */
async function replaceMessages(tx: Transaction, userId: string, { lease, to, replacements = [] }: Move): Promise<void> {
  if (replacements.length === 0) return;
  const messages = replacements.map(({ message }) => message);
  const parameters = [userId, lease.conversationId, to, rowsOfMessages(messages, to), lease.fence];
  if ((await tx.run(appendToThread, parameters)).length === 0) throw await refusedWrite(tx, userId, lease);
  const pairs = replacements.map(({ replaces, message }) => ({ old: replaces, new: message.id }));
  await tx.run(inheritFromMessages, [userId, lease.conversationId, pairs]);
}

/**
 * $1 user, $2 conversation, $3 the expected leaf, $4 the new leaf (null: before the first message), $5 the fence, $6 whether
 * to delete passages that calls of the abandoned messages added. `path` contains the new leaf and, if it is off the current
 * thread, its ancestors up to the first one on the thread. Returns one row: whether the new leaf exists, whether the leaf
 * moved, the agent and the deleted passages.
 */
const moveLeaf = `
with recursive path as (
  select id, parent_id, position, on_thread
  from messages where user_id = $1 and conversation_id = $2::uuid and id = $4::uuid
  union all
  select m.id, m.parent_id, m.position, m.on_thread
  from path join messages m on m.user_id = $1 and m.id = path.parent_id
  where not path.on_thread
), fork as (
  select coalesce(max(position) filter (where on_thread), 0) as position, max(position) as target from path
), moved as (
  update conversations
  set leaf_id = $4::uuid, leaf_position = coalesce(fork.target, 0), updated_at = now()
  from fork
  where user_id = $1 and id = $2::uuid and leaf_id is not distinct from $3::uuid and lease_fence = $5::int
    and ($4::uuid is null or fork.target is not null)
  returning agent_id
), left_behind as (
  update messages set on_thread = false
  from fork, moved
  where user_id = $1 and conversation_id = $2::uuid and messages.position > fork.position and on_thread
  returning messages.id
), deleted as (
  delete from passages p
  using left_behind
  where $6::boolean and p.user_id = $1 and p.message_id = left_behind.id
  returning p.id, p.content, p.tags, p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, null as source_name,
    p.place, p.replaced_by
), joined as (
  update messages set on_thread = true
  from path, moved
  where messages.user_id = $1 and messages.id = path.id and not path.on_thread
)
select exists (select from moved) as moved, $4::uuid is null or (select target from fork) is not null as found,
  (select agent_id from moved) as agent_id,
  (select coalesce(jsonb_agg(deleted order by created_at desc, id desc), '[]') from deleted) as passages`;

/** Moves memory changes and files of replaced messages to their replacements. $1 user, $2 conversation, $3 `old`, `new` ids. */
const inheritFromMessages = `
with pair as (
  select p.old, p.new from jsonb_to_recordset($3::text::jsonb) as p (old uuid, new uuid)
), revised as (
  update revisions r set message_id = pair.new from pair
  where r.user_id = $1 and r.conversation_id = $2::uuid and r.message_id = pair.old
), kept as (
  update passages p set message_id = pair.new from pair
  where p.user_id = $1 and p.conversation_id = $2::uuid and p.message_id = pair.old
)
update attachments a set message_id = pair.new from pair
where a.user_id = $1 and a.conversation_id = $2::uuid and a.message_id = pair.old`;
