// Stores consolidations: begins a run, reads its input and the rows it cites, and commits its effects on memory.
// Invariant: a commit locks the user's row, as a forgetting does. A commit fails as a whole if the run, or a module or
// passage that the commit changes, has changed since it was read.
import { and, desc, eq, getTableColumns, notInArray, type SQL, sql } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { changeInOrder } from "../agents/module-changes.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows, ensureUser, isForgottenSince, lockUser } from "../own-rows.ts";
import type {
  ConsolidationCommit,
  ConsolidationStore,
  MemoryRow,
  StoredConsolidation,
  UndoneLinks,
  UserMessageRow,
} from "../port/consolidation-store.ts";
import { consolidations } from "../schema.ts";
import { insertPassages } from "../sql/add-passages.ts";
import { idsIn } from "../stored-values.ts";
import { contentHash, passageRows } from "./passage-rows.ts";

export function createConsolidationStore(context: UserContext): ConsolidationStore {
  const { userId, repeatable, statement } = context;
  const rows = createOwnRows(consolidations, userId);
  const where = (condition: SQL | undefined, limit: number) =>
    repeatable(async (tx) => {
      const { userId: _user, claimedUntil: _until, ...columns } = getTableColumns(consolidations);
      const found: readonly StoredConsolidation[] = await tx.tables
        .select({ ...columns, version: sql<string>`md5(${consolidations.operations})` })
        .from(consolidations)
        .where(and(eq(consolidations.userId, userId), condition))
        .orderBy(desc(consolidations.id))
        .limit(limit);
      return found;
    });
  return {
    async news(agentId, { passage, message }, limit) {
      const passages = await statement<MemoryRow>(newPassages, [userId, agentId, passage, limit]);
      const messages = await statement<UserMessageRow>(newMessages, [userId, agentId, message, limit]);
      return { passages, messages };
    },
    rows: (agentId, { passages, texts, messages, from }) =>
      statement<MemoryRow>(wantedRows, [userId, agentId, passages, texts.map(contentHash), messages, from]),
    begin: ({ after, forgettings, unlessTurn, ...run }) =>
      repeatable(async (tx) => {
        await requireAgent(tx, userId, run.agentId);
        await ensureUser(tx, userId);
        await lockUser(tx, userId);
        await tx.run(failLapsed, [userId, run.agentId, run.createdAt]);
        const [other] = await tx.run<{ readonly id: string }>(runningOrLater, [userId, run.agentId, after]);
        if (other !== undefined) return other.id === run.id;
        if (await isForgottenSince(tx, userId, forgettings)) return false;
        if (unlessTurn && (await tx.run(runningTurns, [userId, run.agentId])).length > 0) return false;
        await rows.insert(tx, { ...run, status: "running" });
        return true;
      }),
    find: async (id) => (await where(eq(consolidations.id, id), 1))[0] ?? null,
    async last(agentId) {
      const isCompleted = notInArray(consolidations.status, ["running", "failed"]);
      return (await where(and(eq(consolidations.agentId, agentId), isCompleted), 1))[0] ?? null;
    },
    async list(agentId, limit) {
      const found = await where(eq(consolidations.agentId, agentId), limit);
      return found.map(({ ranges: _ranges, version: _version, ...run }) => run);
    },
    commit: (commit) => repeatable((tx) => commitRun(tx, userId, commit)),
  };
}

async function commitRun(tx: Transaction, userId: string, commit: ConsolidationCommit): Promise<void> {
  const { run, next, changes, cause, passages, links, kept, undone } = commit;
  await requireAgent(tx, userId, run.agentId);
  await lockUser(tx, userId);
  const isOfRun = and(eq(consolidations.userId, userId), eq(consolidations.id, run.id));
  const stored = and(isOfRun, eq(consolidations.status, next.status), eq(consolidations.operations, next.operations));
  // If a first attempt was committed but its answer was lost, the transaction is repeated, and has nothing left to do.
  if ((await tx.tables.select({ id: consolidations.id }).from(consolidations).where(stored)).length > 0) return;
  const changesMemory = changes.length + passages.length + links.length > 0 || undone !== null;
  if (changesMemory && (await tx.run(runningTurns, [userId, run.agentId])).length > 0)
    throw busy("a turn of the agent is running");
  const changed = await tx.tables
    .update(consolidations)
    .set(next)
    .where(and(isOfRun, eq(consolidations.status, run.status), sql`md5(${consolidations.operations}) = ${run.version}`))
    .returning({ id: consolidations.id });
  if (changed.length === 0) throw busy("the consolidation has changed");
  if (undone !== null) await removeLinks(tx, userId, { runId: run.id, ...undone });
  await changeInOrder(tx, { userId, agentId: run.agentId }, changes, cause);
  if (passages.length > 0) {
    const added = passageRows(passages, { origin: "model", callId: run.id });
    await tx.run(insertPassages, [userId, run.agentId, added]);
  }
  const linked = links.length === 0 ? [] : await tx.run(linkPassages, [userId, run.agentId, links]);
  const held = kept.length === 0 ? [] : await tx.run(keepPassages, [userId, run.agentId, kept, run.id]);
  if (linked.length !== links.length || held.length !== kept.length) throw busy("a passage has changed");
}

async function removeLinks(
  tx: Transaction,
  userId: string,
  { runId, links, needed }: UndoneLinks & { readonly runId: string },
): Promise<void> {
  const replaced = links.map(({ id }) => id);
  if ((await tx.run(replacedSince, [userId, runId, replaced])).length > 0)
    throw undoRefused("a passage that the consolidation added was later replaced by another passage");
  await tx.run(lockPassages, [userId, needed.map(({ id }) => id)]);
  if ((await tx.run(lostReplaced, [userId, runId, needed])).length > 0)
    throw undoRefused(
      "a passage that the consolidation replaced is not available any more; `runtime.consolidation.find()` shows its text",
    );
  await tx.run(unlinkPassages, [userId, links]);
  await tx.run(deleteAdded, [userId, runId]);
}

function undoRefused(reason: string): RequestError {
  return new RequestError("undo_refused", `Nothing was changed: ${reason}.`);
}

function busy(reason: string): RequestError {
  return new RequestError("agent_busy", `Nothing was changed: ${reason}. Try again.`);
}

/** $1 user, $2 agent, $3 now. */
const failLapsed = `
update consolidations set status = 'failed', ended_at = $3::timestamptz, reason = 'The process of the consolidation ended.'
where user_id = $1 and agent_id = $2::uuid and status = 'running' and claimed_until <= $3::timestamptz`;

/** Selects a consolidation that is running, or completed and newer than the consolidation $3. $1 user, $2 agent. */
const runningOrLater = `
select id from consolidations
where user_id = $1 and agent_id = $2::uuid
  and (status = 'running' or status <> 'failed' and ($3::uuid is null or id > $3::uuid))
limit 1`;

/** Returns a row if a turn of the user with the agent is running. $1 user, $2 agent. */
const runningTurns = `
select from conversations
where user_id = $1 and agent_id = $2::uuid and lease_holder is not null and lease_expires_at > now()
limit 1`;

const ofArchive = "p.user_id = $1 and p.agent_id = $2::uuid and p.archive_id = $2::uuid";
const ofUser = `m.user_id = $1 and m.agent_id = $2::uuid and m.role = 'user' and m.kind = 'message' and m.trust = 'user'
  and m.on_thread and m.text <> ''`;
const passage = "'passage' as kind, p.id, p.content as text, p.trust, p.created_at as at";
const message = "'message' as kind, m.id, m.text, m.trust, m.created_at as at";
/** SQL: whether a consolidation added passage `p`. Only such a passage has a call id and no message id (add-passages.ts). */
const isAdded = "(p.call_id is not null and p.message_id is null)";

/** $1 user, $2 agent, $3 the id of the last passage read before, $4 limit. */
const newPassages = `
select ${passage} from passages p
where ${ofArchive} and p.replaced_by is null and p.id > $3::uuid and not ${isAdded}
order by p.id limit $4::int`;

/** $1 user, $2 agent, $3 the id of the last message read before, $4 limit. Skips copied messages: they have no search text. */
const newMessages = `
with saving as (
  select a.turn_id from passages p join messages a on a.user_id = p.user_id and a.id = p.message_id
  where ${ofArchive} and p.message_id > $3::uuid
  union
  select a.turn_id from revisions r join messages a on a.user_id = r.user_id and a.id = r.message_id
  where r.user_id = $1 and r.agent_id = $2::uuid and r.message_id > $3::uuid
)
select ${message}, exists (select from saving s where s.turn_id = m.turn_id) as "isSaved" from messages m
where ${ofUser} and m.search_text is not null and m.id > $3::uuid
order by m.id limit $4::int`;

/**
 * $1 user, $2 agent, $3 ids of passages, $4 hashes of texts, $5 ids of messages, $6 ids of passages. For each passage
 * of $6, returns the user's messages in the turn that added it, up to 200 positions before the message that added it.
 */
const wantedRows = `
select ${passage}, p.replaced_by is not null as "isReplaced" from passages p
where ${ofArchive} and p.replaced_by is null and p.id in (${idsIn("$3")})
union
select ${passage}, p.replaced_by is not null from jsonb_array_elements_text($4::text::jsonb) h
join passages p on ${ofArchive} and p.content_hash = decode(h, 'hex')
union all
select ${message}, false from messages m
where ${ofUser} and m.id in (
  ${idsIn("$5")}
  union all
  select s.id from passages p
  join messages a on a.user_id = p.user_id and a.id = p.message_id
  join messages s on s.user_id = a.user_id and s.conversation_id = a.conversation_id and s.turn_id = a.turn_id
    and s.position between a.position - 200 and a.position
  where ${ofArchive} and p.id in (${idsIn("$6")}))`;

/** $1 user, $2 agent, $3 passages with the passages that replace them. */
const linkPassages = `
update passages p set replaced_by = g.by
from jsonb_to_recordset($3::text::jsonb) as g (id uuid, by uuid, text text)
where ${ofArchive} and p.id = g.id and p.content = g.text and p.replaced_by is null
  and exists (select from passages s where s.user_id = $1 and s.id = g.by and s.archive_id = $2::uuid
    and s.replaced_by is null)
returning p.id`;

/** Clears the message id and call id of passages, except a call id of run $4. $1 user, $2 agent, $3 passages with texts. */
const keepPassages = `
update passages p set message_id = null, call_id = case when ${isAdded} and p.call_id = $4 then p.call_id end
from jsonb_to_recordset($3::text::jsonb) as g (id uuid, text text)
where ${ofArchive} and p.id = g.id and p.content = g.text
returning p.id`;

/** Selects replaced passages that run $2 added, except those that the run replaced ($3). $1 user. */
const replacedSince = `
select from passages p
where p.user_id = $1 and p.call_id = $2 and p.message_id is null and p.replaced_by is not null
  and p.id not in (${idsIn("$3")})`;

/** Locks passages, so that none is deleted before the transaction ends. $1 user, $2 ids. */
const lockPassages = `
select from passages where user_id = $1 and id in (${idsIn("$2")}) order by id for no key update`;

/** Selects those of the links $3 that lead from a deleted passage to a passage that run $2 added. $1 user. */
const lostReplaced = `
select g.id from jsonb_to_recordset($3::text::jsonb) as g (id uuid, by uuid)
join passages s on s.user_id = $1 and s.id = g.by and s.call_id = $2 and s.message_id is null
where not exists (select from passages p where p.user_id = $1 and p.id = g.id)`;

/** $1 user, $2 passages with the passages that replace them. */
const unlinkPassages = `
update passages p set replaced_by = null
from jsonb_to_recordset($2::text::jsonb) as g (id uuid, by uuid)
where p.user_id = $1 and p.id = g.id and p.replaced_by = g.by`;

/** $1 user, $2 the run. */
const deleteAdded = "delete from passages p where p.user_id = $1 and p.call_id = $2 and p.message_id is null";
