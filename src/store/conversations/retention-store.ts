// Applies retention: drops rows that no turn needs, in batches, and records what was dropped.
// Invariant: rows are counted in the transaction that drops them; only the user's own rows are read. Rows that a window
// or its compactions need, and a module's newest revision, are kept. No remaining row names a dropped message.
import { and, desc, eq, gt, sql } from "drizzle-orm";
import type {
  DroppedRows,
  RetainedKind,
  RetentionSettings,
  SweepRecord,
  RetentionStore,
  SweepPart,
} from "../port/retention-store.ts";
import { requireAgent, requireGrant } from "../agents/agent-access.ts";
import { ensureUser } from "../own-rows.ts";
import { sweeps } from "../schema.ts";
import type { SqlParameter } from "../stored-values.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { compactionChain } from "../sql/compaction-chain.ts";

const dayMs = 86_400_000;
const megabyte = 1_000_000;
const nothing: DroppedRows = { rows: 0, through: null };

export function createRetentionStore({ userId, transaction }: UserContext): RetentionStore {
  return {
    begin: ({ id, agentId, limits, at, unlessAfter }) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        if (unlessAfter !== null && (await hasSweepAfter(tx, { userId, agentId }, unlessAfter))) return false;
        await ensureUser(tx, userId);
        await tx.tables.insert(sweeps).values({ userId, id, agentId, limits, createdAt: at });
        return true;
      }),
    drop: (part) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, part.agentId);
        const asked = statementOf(part);
        if (asked === null) return nothing;
        const { statement, limits } = asked;
        const parameters = [userId, part.agentId, part.id, part.batch, ...limits];
        const [done] = await tx.run<DroppedRows>(statement, parameters);
        // Without a sweep of this id, the statement drops nothing and returns no row.
        return done ?? nothing;
      }),
    isOver: (agentId, { rows, megabytes }) =>
      transaction(async (tx) => {
        const bytes = megabytes === undefined ? null : Math.round(megabytes * megabyte);
        const [found] = await tx.run<{ readonly over: boolean }>(isOverLimit, [userId, agentId, rows, bytes]);
        return found!.over;
      }),
    list: (agentId, limit) =>
      transaction(async (tx) => {
        await requireGrant(tx, userId, agentId);
        const rows = await tx.tables
          .select()
          .from(sweeps)
          .where(and(eq(sweeps.userId, userId), eq(sweeps.agentId, agentId)))
          .orderBy(desc(sweeps.createdAt), desc(sweeps.id))
          .limit(limit);
        return rows.map(sweepOfRow);
      }),
  };
}

/** SQL: whether a sweep was a full one. An eviction of passages is not: it applies only the limit of passages. */
const isFull = sql`(${sweeps.limits} = '{}' or ${sweeps.limits} - 'passages' <> '{}')`;

async function hasSweepAfter(
  tx: Transaction,
  { userId, agentId }: { readonly userId: string; readonly agentId: string },
  after: Date,
): Promise<boolean> {
  const found = await tx.tables
    .select({ id: sweeps.id })
    .from(sweeps)
    .where(and(eq(sweeps.userId, userId), eq(sweeps.agentId, agentId), gt(sweeps.createdAt, after), isFull))
    .limit(1);
  return found.length > 0;
}

interface DropStatement {
  readonly statement: string;
  readonly limits: readonly SqlParameter[];
}

const statements: {
  readonly [Kind in RetainedKind]: (limits: NonNullable<RetentionSettings[Kind]>, at: Date) => DropStatement;
} = {
  messages: ({ days, megabytes }, at) => ({
    statement: dropMessages,
    limits: [daysBefore(at, days), megabytes === undefined ? null : Math.round(megabytes * megabyte)],
  }),
  revisions: ({ days, perModule }, at) => ({
    statement: dropRevisions,
    limits: [daysBefore(at, days), perModule ?? null],
  }),
  steps: ({ days }, at) => ({ statement: dropSteps, limits: [daysBefore(at, days)] }),
  passages: ({ rows, megabytes }, at) => ({
    statement: dropPassages,
    limits: [rows ?? null, megabytes === undefined ? null : Math.round(megabytes * megabyte), at],
  }),
};

/** Returns the statement for a kind of row; null if no limit applies to it. */
function statementOf({ kind, limits, at }: SweepPart): DropStatement | null {
  const ofKind = limits[kind];
  return ofKind === undefined ? null : statements[kind](ofKind, at);
}

function daysBefore(at: Date, days: number | undefined): Date | null {
  return days === undefined ? null : new Date(at.getTime() - days * dayMs);
}

function sweepOfRow(row: typeof sweeps.$inferSelect): SweepRecord {
  return {
    id: row.id,
    agentId: row.agentId,
    at: row.createdAt,
    limits: row.limits,
    dropped: {
      messages: { rows: row.messages, through: row.messagesThrough },
      revisions: { rows: row.revisions, through: row.revisionsThrough },
      steps: { rows: row.steps, through: row.stepsThrough },
      passages: { rows: row.passages, through: row.passagesThrough },
    },
  };
}

/**
 * Returns SQL that drops rows. $1 user, $2 agent, $3 sweep, $4 maximum rows. It yields one row: how many were dropped, and the
 * time of the newest. `chosen`: CTEs that select the rows to drop; `same`: the condition that joins them to the table;
 * `unnamed`: CTEs that remove references to the dropped rows.
 */
function dropping(
  table: "messages" | "passages" | "revisions" | "steps",
  chosen: string,
  same: string,
  unnamed = "",
): string {
  return `
with recursive ${chosen}, dropped as (
  delete from ${table} t using chosen
  where t.user_id = $1 and ${same}
    and exists (select from sweeps s where s.user_id = $1 and s.agent_id = $2::uuid and s.id = $3::uuid)
  returning t.*
)${unnamed}
update sweeps
set ${table} = ${table} + (select count(*)::int from dropped),
    ${table}_through = greatest(${table}_through, (select max(created_at) from dropped))
where user_id = $1 and agent_id = $2::uuid and id = $3::uuid
returning (select count(*)::int from dropped) as rows, (select max(created_at) from dropped) as through`;
}

/**
 * Further parameters: $5 messages before this time are dropped, $6 limit of all messages in bytes; null is no limit. Only
 * messages that are off the thread, or on it before the start of the window, are dropped. The last message that a compaction
 * of the window covers is kept: it shows whether the compaction is on the thread.
 */
const dropMessages = dropping(
  "messages",
  `${compactionChain("v.agent_id = $2::uuid")}, cuts as (
  select v.id as conversation_id,
    (select max(through_position) from chain where chain.conversation_id = v.id) as position
  from conversations v where v.user_id = $1 and v.agent_id = $2::uuid
), sized as (
  select m.id, m.created_at, octet_length(m.content::text) + octet_length(m.text) as bytes,
    not m.on_thread
      or (coalesce(m.position < cuts.position, false) and not exists (select from chain where chain.through_id = m.id)) as may_go
  from messages m join cuts on cuts.conversation_id = m.conversation_id
  where m.user_id = $1
), chosen as (
  select d.id
  from (select id, created_at, sum(bytes) over (order by created_at, id) - bytes as before from sized where may_go) d
  where d.created_at < $5::timestamptz or d.before < (select sum(bytes) from sized) - $6::bigint
  order by d.created_at, d.id
  limit $4::int
)`,
  "t.id = chosen.id",
  `, roots as (
  update messages m set parent_id = null from dropped
  where m.user_id = $1 and m.parent_id = dropped.id and not exists (select from chosen where chosen.id = m.id)
), called as (
  delete from steps s using dropped where s.user_id = $1 and s.agent_id = $2::uuid and s.message_id = dropped.id
), compacted as (
  delete from compactions c using dropped where c.user_id = $1 and c.agent_id = $2::uuid and c.through_id = dropped.id
), sent as (
  update inputs i set message_id = null from dropped
  where i.user_id = $1 and i.agent_id = $2::uuid and i.message_id = dropped.id
), edited as (
  update revisions r set message_id = null, call_id = null from dropped where r.user_id = $1 and r.message_id = dropped.id
), archived as (
  update passages p set message_id = null, call_id = null from dropped where p.user_id = $1 and p.message_id = dropped.id
)`,
);

/**
 * Further parameters: $5 revisions before this time are dropped, $6 maximum revisions per module. The newest is always kept.
 * Only the oldest revisions of a module are dropped, without gaps; each kept revision has the text before and after its
 * change. Revisions of another user's module are not dropped.
 */
const dropRevisions = dropping(
  "revisions",
  `held as (
  select distinct h.module_id from agent_modules h where h.user_id = $1 and h.agent_id = $2::uuid and h.owner_id = $1
), kept as (
  select r.module_id, min(r.revision) as oldest
  from (
    select r.module_id, r.revision, r.created_at, row_number() over (partition by r.module_id order by r.revision desc) as place
    from held join revisions r on r.user_id = $1 and r.module_id = held.module_id
  ) r
  where r.place = 1 or (r.place <= coalesce($6::int, r.place) and r.created_at >= coalesce($5::timestamptz, r.created_at))
  group by r.module_id
), chosen as (
  select r.module_id, r.revision
  from kept join revisions r on r.user_id = $1 and r.module_id = kept.module_id
  where r.revision < kept.oldest
  order by r.revision, r.module_id
  limit $4::int
)`,
  "t.module_id = chosen.module_id and t.revision = chosen.revision",
);

/** Further parameter: $5 steps before this time are dropped. */
const dropSteps = dropping(
  "steps",
  `chosen as (
  select id from steps
  where user_id = $1 and agent_id = $2::uuid and created_at < $5::timestamptz
  order by created_at, id
  limit $4::int
)`,
  "t.id = chosen.id",
);

/**
 * Further parameters: $5 maximum passages of the agent's own archive, $6 maximum bytes of text; null is no limit; $7 the time
 * at which importance, which decays, is computed. Replaced passages are dropped first, because a passage becomes current again
 * if its replacement is dropped; then the least important passages, at equal importance the oldest.
 */
const dropPassages = dropping(
  "passages",
  `weighed as (
  select p.id, p.created_at, octet_length(p.content) as bytes, importance_of(p, $7::timestamptz) as importance,
    p.replaced_by is null as is_current
  from passages p where p.user_id = $1 and p.agent_id = $2::uuid
), placed as (
  select id, row_number() over by_importance as place, sum(bytes) over by_importance as bytes
  from weighed window by_importance as (
    order by is_current desc, importance desc, created_at desc, id desc rows unbounded preceding
  )
), chosen as (
  select id from placed where place > $5::bigint or bytes > $6::bigint order by place desc limit $4::int
)`,
  "t.id = chosen.id",
);

/**
 * Returns whether an agent's own archive exceeds its limits. $1 user, $2 agent, $3 maximum passages or null, $4 maximum bytes
 * of text or null. Returns one row. Passages are counted up to the limit only; bytes are summed over all of them.
 */
const isOverLimit = `
select coalesce(
    (select count(*) from (select from passages where user_id = $1 and agent_id = $2::uuid limit $3::int + 1) p) > $3::int, false
  ) or coalesce(
    $4::bigint is not null
      and (select sum(octet_length(content)) from passages where user_id = $1 and agent_id = $2::uuid) > $4::bigint, false
  ) as over`;
