// Reads a conversation's messages as a tree: its ends, the path to a message, and a message's location.
// Invariant: read-only; messages of other conversations are not found.
import { RequestError } from "../../base/errors.ts";
import type { BranchRecord, MessageLocation, PathRequest } from "../port/conversation-store.ts";
import type { StoredMessage } from "../port/records.ts";
import { conversationNotFound, messageNotFound, requireConversation } from "./conversation-faults.ts";
import { messageColumns, messageOfRow, type MessageRow } from "./message-rows.ts";
import type { Transaction } from "../connection/transaction.ts";

export async function branchesOf(
  tx: Transaction,
  userId: string,
  conversationId: string,
): Promise<readonly BranchRecord[]> {
  const rows = await tx.run<BranchRecord>(listBranches, [userId, conversationId]);
  if (rows.length === 0) await requireConversation(tx, userId, conversationId);
  return rows;
}

type PlaceRow = MessageRow & Omit<MessageLocation, "message">;

export async function placeOf(
  tx: Transaction,
  userId: string,
  { conversationId, messageId }: { readonly conversationId: string; readonly messageId: string },
): Promise<MessageLocation> {
  await requireConversation(tx, userId, conversationId);
  const [row] = await tx.run<PlaceRow>(readLocation, [userId, conversationId, messageId]);
  if (row === undefined) throw messageNotFound();
  const { onThread, isBeforeResult, after, inputId } = row;
  return { message: messageOfRow(row), onThread, isBeforeResult, after, inputId };
}

export async function pathTo(
  tx: Transaction,
  userId: string,
  { conversationId, through, limit }: PathRequest & { readonly conversationId: string },
): Promise<readonly StoredMessage[]> {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RequestError("input_invalid", `Expected a limit that is a whole number of at least 1, got ${limit}.`);
  }
  const end = through ?? (await leafOf(tx, userId, conversationId));
  if (end === null) return [];
  const rows = await tx.run<MessageRow>(readPath, [userId, conversationId, end, Math.min(limit, maxMessages)]);
  if (rows.length > 0) return rows.map(messageOfRow);
  await requireConversation(tx, userId, conversationId);
  throw messageNotFound();
}

async function leafOf(tx: Transaction, userId: string, conversationId: string): Promise<string | null> {
  const [found] = await tx.run<{ readonly leaf_id: string | null }>(
    "select leaf_id from conversations where user_id = $1 and id = $2::uuid",
    [userId, conversationId],
  );
  if (found === undefined) throw conversationNotFound(conversationId);
  return found.leaf_id;
}

/** PostgreSQL's largest `int`, the type of the limit. */
const maxMessages = 2 ** 31 - 1;

const isText = (message: string) =>
  `${message}.kind = 'message' and ${message}.role <> 'tool' and btrim(${message}.text) <> ''`;

/**
 * Selects the ends of the tree, each with the message where it leaves the thread, and its last text. $1 user, $2
 * conversation. An end is the leaf, or a message off the thread without a child. A child would have the next position, so an
 * index shows whether there is one. `path` climbs from each end to the thread, so the cost is proportional to the branches,
 * plus one lookup per message. The position of an end equals the number of messages up to it.
 */
const listBranches = `
with recursive ends as (
  select m.id, m.position, m.created_at, m.id is not distinct from v.leaf_id as is_current
  from conversations v
  join messages m on m.user_id = v.user_id and m.conversation_id = v.id
  where v.user_id = $1 and v.id = $2::uuid and (m.id = v.leaf_id or not m.on_thread and not exists (
    select from messages c
    where c.user_id = m.user_id and c.conversation_id = m.conversation_id and c.position = m.position + 1 and c.parent_id = m.id
  ))
), path as (
  select e.id as end_id, m.id, m.parent_id, m.position, m.on_thread, ${isText("m")} as is_text
  from ends e join messages m on m.user_id = $1 and m.id = e.id
  union all
  select p.end_id, m.id, m.parent_id, m.position, m.on_thread, ${isText("m")}
  from path p join messages m on m.user_id = $1 and m.id = p.parent_id
  where not p.on_thread
)
select e.id, e.position as messages, e.created_at as at, e.is_current as "isCurrent",
  case when not e.is_current then fork.id end as "forkId", e.position - coalesce(fork.position, 0) as "ownMessages",
  left(coalesce(own.text, shared.text, ''), 200) as preview
from ends e
left join path fork on fork.end_id = e.id and fork.on_thread
left join lateral (
  select m.text
  from path p join messages m on m.user_id = $1 and m.id = p.id
  where p.end_id = e.id and p.is_text
  order by p.position desc
  limit 1
) own on true
left join lateral (
  select m.text
  from messages m
  where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread and m.position < fork.position and ${isText("m")}
  order by m.position desc
  limit 1
) shared on own.text is null
order by e.is_current desc, e.created_at desc, e.id desc`;

/**
 * $1 user, $2 conversation, $3 the message. Returns one row; none for an unknown message. Messages before and after this
 * message are found by position. `readPath` explains `is true`.
 */
const readLocation = `
select ${messageColumns("m")}, m.on_thread as "onThread",
  exists (
    select from messages c
    where c.user_id = m.user_id and c.conversation_id = m.conversation_id and c.position = m.position + 1
      and c.parent_id = m.id and c.role = 'tool'
  ) as "isBeforeResult", (
    select coalesce(jsonb_agg(a.id order by a.position), '[]')
    from messages a
    where m.on_thread and a.user_id = m.user_id and a.conversation_id = m.conversation_id and a.on_thread
      and a.position > m.position
  ) as after, (
    select i.id
    from messages i
    where m.on_thread and i.user_id = m.user_id and i.conversation_id = m.conversation_id and i.on_thread
      and i.position <= m.position and i.role = 'user' and i.kind <> 'event'
    order by i.position desc
    limit 1
  ) as "inputId"
from messages m
where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid`;

/**
 * $1 user, $2 conversation, $3 the message, $4 maximum rows. Climbs from parent to parent by the primary key, so the
 * cost is proportional to the result. `is true` keeps the planner, which may lack statistics, from scanning the whole
 * conversation by its index.
 */
const readPath = `
with recursive path as (
  select m.id, m.parent_id, 1 as number
  from messages m
  where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid
  union all
  select m.id, m.parent_id, p.number + 1
  from path p join messages m on m.user_id = $1 and m.id = p.parent_id
  where p.number < $4::int
)
select ${messageColumns("m")}
from path p join messages m on m.user_id = $1 and m.id = p.id
order by p.number desc`;
