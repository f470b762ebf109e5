// Stores compactions: which messages left a conversation's window, their summaries, and how to undo them.
// Invariant: a window's compactions cover every message before the window exactly once, also after undos and moves of the
// leaf. An undo includes all later compactions, so no compaction builds on an undone one.
import { largest } from "../../base/lists.ts";
import { RequestError } from "../../base/errors.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { CompactionStore, NewCompaction } from "../port/compaction-store.ts";
import type { CompactionRecord } from "../port/records.ts";
import type { Lease } from "../port/turn-store.ts";
import { compactionChain } from "../sql/compaction-chain.ts";
import { addCompactions, compactionColumns } from "./compaction-rows.ts";
import { conversationNotFound, messageNotFound, refusedWrite, requireConversation } from "./conversation-faults.ts";
import { messageColumns, messageOfRow, type MessageRow } from "./message-rows.ts";

export function createCompactionStore({ userId, transaction, repeatable }: UserContext): CompactionStore {
  return {
    add: (lease, compactions) => repeatable((tx) => add(tx, userId, { lease, compactions })),
    undo: (lease) => transaction((tx) => undo(tx, userId, lease)),
    list: (conversationId, limit) =>
      repeatable(async (tx) => {
        await requireConversation(tx, userId, conversationId);
        return tx.run<CompactionRecord>(listCompactions, [userId, conversationId, limit]);
      }),
    messages: (conversationId, { fromPosition, throughPosition }) =>
      repeatable(async (tx) => {
        await requireConversation(tx, userId, conversationId);
        const rows = await tx.run<MessageRow>(readThread, [userId, conversationId, fromPosition, throughPosition]);
        return rows.map(messageOfRow);
      }),
  };
}

interface WindowChain {
  /** The compactions before the window's messages, oldest first. */
  readonly compactions: readonly CompactionRecord[];
  /** The window's version that the newest of these compactions created; null if there is none. */
  readonly newestVersion: number | null;
}

/** Returns the compactions that replace the messages before the window. Throws RequestError `conversation_not_found`. */
async function readWindowChain(tx: Transaction, userId: string, conversationId: string): Promise<WindowChain> {
  type Row = CompactionRecord & { readonly version: number };
  const rows = await tx.run<Row | { readonly id: null }>(readChain, [userId, conversationId]);
  if (rows.length === 0) throw conversationNotFound(conversationId);
  const links = rows.filter((row) => row.id !== null);
  const newestVersion = links.length === 0 ? null : largest(links.map(({ version }) => version));
  return { compactions: links.map(({ version: _version, ...compaction }) => compaction), newestVersion };
}

interface Addition {
  readonly lease: Lease;
  readonly compactions: readonly NewCompaction[];
}

async function add(tx: Transaction, userId: string, { lease, compactions }: Addition): Promise<number> {
  const { conversationId, fence } = lease;
  await requireConversation(tx, userId, conversationId);
  type Version = { readonly windowVersion: number };
  const version = `select window_version as "windowVersion" from compactions where user_id = $1 and id = $2::uuid`;
  const earlier = compactions[0] === undefined ? [] : await tx.run<Version>(version, [userId, compactions[0].id]);
  // An earlier attempt, whose answer was lost, has committed these compactions.
  if (earlier[0] !== undefined) return earlier[0].windowVersion;
  const rows = compactions.map(({ usage, ...compaction }) => ({ ...compaction, ...usage }));
  const [done] = await tx.run<Version & { readonly added: number }>(addCompactions, [
    userId,
    conversationId,
    fence,
    rows,
  ]);
  if (done === undefined) throw await refusedWrite(tx, userId, lease);
  if (done.added !== compactions.length) throw messageNotFound();
  return done.windowVersion;
}

async function undo(tx: Transaction, userId: string, lease: Lease): Promise<readonly CompactionRecord[]> {
  const { conversationId, fence } = lease;
  const before = await readWindowChain(tx, userId, conversationId);
  if (before.newestVersion === null) {
    throw new RequestError("undo_refused", "There is no compaction to undo: every message is in the window.");
  }
  const done = await tx.run(undoCompactions, [userId, conversationId, fence, before.newestVersion]);
  if (done.length === 0) throw await refusedWrite(tx, userId, lease);
  const after = await readWindowChain(tx, userId, conversationId);
  if (!(await isComplete(tx, userId, { conversationId, compactions: after.compactions }))) {
    throw new RequestError(
      "undo_refused",
      "The compaction cannot be undone: some of the messages that it replaced were deleted by retention. Only their summary remains.",
    );
  }
  const left = new Set(after.compactions.map(({ id }) => id));
  return before.compactions.filter(({ id }) => !left.has(id));
}

/** Returns whether the window and its compactions cover every message of the thread: retention may have dropped some. */
export async function isWindowComplete(tx: Transaction, userId: string, conversationId: string): Promise<boolean> {
  const { compactions } = await readWindowChain(tx, userId, conversationId);
  return isComplete(tx, userId, { conversationId, compactions });
}

async function isComplete(
  tx: Transaction,
  userId: string,
  {
    conversationId,
    compactions,
  }: { readonly conversationId: string; readonly compactions: readonly CompactionRecord[] },
): Promise<boolean> {
  const cut = compactions.at(-1)?.throughPosition ?? 0;
  const [thread] = await tx.run<{ readonly whole: boolean }>(isThreadComplete, [userId, conversationId, cut]);
  return thread?.whole === true && isWithoutGap(compactions);
}

// A gap arises when retention drops the last message that a compaction covers, and with it the compaction.
function isWithoutGap(chain: readonly CompactionRecord[]): boolean {
  return chain.every(({ fromPosition }, at) => fromPosition === (chain[at - 1]?.throughPosition ?? 0) + 1);
}

/**
 * $1 user, $2 conversation. Returns the compactions before the window, oldest first; one row of nulls for a conversation
 * without compactions, no row for an unknown conversation.
 */
const readChain = `
with recursive ${compactionChain("v.id = $2::uuid")}
select ${compactionColumns("chain")}, chain.window_version as version
from conversations v left join chain on true
where v.user_id = $1 and v.id = $2::uuid
order by chain.from_position`;

/** Returns all compactions, also undone ones, newest first. $1 user, $2 conversation, $3 maximum rows. */
const listCompactions = `
select ${compactionColumns("c")} from compactions c
where c.user_id = $1 and c.conversation_id = $2::uuid
order by c.window_version desc, c.through_position desc
limit $3::int`;

/** Returns messages of the thread. $1 user, $2 conversation, $3 the first position, $4 the last position. */
const readThread = `
select ${messageColumns("m")}
from messages m
where m.user_id = $1 and m.conversation_id = $2::uuid and m.position between $3::int and $4::int and m.on_thread
order by m.position`;

// Undoes the compactions of a window version and of all later versions, on every branch, because they build on it.
/** $1 user, $2 conversation, $3 the fence, $4 the first version to undo. Returns no row if the lease is not held. */
const undoCompactions = `
with moved as (
  update conversations set window_version = window_version + 1
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  returning 1
), undone as (
  update compactions set undone_at = now()
  from moved
  where user_id = $1 and conversation_id = $2::uuid and window_version >= $4::int and undone_at is null
)
select 1 from moved`;

/**
 * $1 user, $2 conversation, $3 a position. Returns whether the thread still has every message after the position: retention
 * may have dropped some.
 */
const isThreadComplete = `
select v.leaf_position - $3::int = (
  select count(*) from messages m
  where m.user_id = v.user_id and m.conversation_id = v.id and m.position > $3::int and m.on_thread
) as whole
from conversations v where v.user_id = $1 and v.id = $2::uuid`;
