// Stores synopses: a part is claimed before a model writes it, saved under that claim, and deleted as soon as one of the
// passages that it was made from is deleted.
// Invariant: a part is not saved after its claim was lost; only the user's own rows are read.
import { requireAgent } from "../agents/agent-access.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { ensureUser, givenRows, lockUser, recordColumns, usageColumn, usageFields } from "../own-rows.ts";
import type {
  SynopsisMemory,
  SynopsisPart,
  SynopsisRecord,
  SynopsisState,
  SynopsisStore,
} from "../port/synopsis-store.ts";
import { synopses } from "../schema.ts";
import { idsIn, timeText } from "../stored-values.ts";

export function createSynopsisStore({ userId, transaction, repeatable, statement }: UserContext): SynopsisStore {
  return {
    async read(agentId) {
      type Row = SynopsisRecord & Pick<SynopsisState, "nextRefreshAt">;
      const rows = await statement<Row>(readSynopses, [userId, agentId]);
      return rows.map(({ nextRefreshAt, ...made }) => ({
        part: made.part,
        nextRefreshAt,
        made: made.content === null ? null : made,
      }));
    },
    async memories(agentId, { limit, characters, now }) {
      type Row = { readonly total: number } & (SynopsisMemory | { readonly id: null });
      const rows = await transaction((tx) => tx.run<Row>(synopsisMemories, [userId, agentId, limit, characters, now]));
      const memories = rows.flatMap(({ total: _total, ...memory }) => (memory.id === null ? [] : [memory]));
      return { memories, total: rows[0]?.total ?? 0 };
    },
    claim: (agentId, { claim, parts, now, nextRefreshAt, asked }) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        await ensureUser(tx, userId);
        // Waits for a forgetting in progress, which would not see this new claim, and so would not end it.
        await lockUser(tx, userId);
        const parameters = [userId, agentId, claim, parts, now, nextRefreshAt, asked];
        const claimed = await tx.run<{ readonly part: SynopsisPart }>(claimSynopses, parameters);
        return claimed.map(({ part }) => part);
      }),
    save: (agentId, claim, made) =>
      transaction(async (tx) => {
        const passages = [...new Set(made.flatMap((record) => record.passages))];
        if (!(await lockAllPassages(tx, userId, passages))) return "outdated";
        const rows = made.map(({ at, expiresAt, usage, ...record }) => {
          return { ...record, ...usage, at: timeText(at), expiresAt: timeText(expiresAt) };
        });
        const saved = await tx.run(saveSynopses, [userId, agentId, claim, rows]);
        return saved.length === made.length ? "saved" : "lost";
      }),
    release: (agentId, claim) =>
      transaction(async (tx) => void (await tx.run(releaseSynopses, [userId, agentId, claim]))),
    clear: (agentId) =>
      transaction(async (tx) => {
        const [done] = await tx.run<{ readonly cleared: number }>(clearSynopses, [userId, agentId]);
        return done!.cleared;
      }),
    isShown: (conversationId) =>
      repeatable(async (tx) => (await tx.run(isSynopsisShown, [userId, conversationId])).length > 0),
  };
}

/**
 * Locks the passages until the transaction ends, and returns whether all of them still exist. Call this before writing
 * a text that was made from passages: a concurrent deletion then waits, and finds the text.
 */
export async function lockAllPassages(tx: Transaction, userId: string, ids: readonly string[]): Promise<boolean> {
  const [found] = await tx.run<{ readonly held: number }>(lockPassages, [userId, ids]);
  return found!.held === ids.length;
}

/** $1 user, $2 agent. */
const readSynopses = `
select ${recordColumns(synopses, "s", `agentId claim passages ${usageFields}`)}, to_jsonb(s.passages) as passages,
  ${usageColumn("s")}
from synopses s where s.user_id = $1 and s.agent_id = $2::uuid
order by s.part desc`;

/**
 * $1 user, $2 agent, $3 maximum passages, $4 characters of each, $5 now. If there are no passages, returns one row with the
 * total and nulls. `archive_id` is compared with the agent's id, which is also the id of its archive, so that the index over
 * archives applies.
 */
const synopsisMemories = `
select t.total, p.id, p.content, p.trust, p.created_at as at
from (select count(*)::int as total from passages where user_id = $1 and archive_id = $2::uuid and replaced_by is null) t
left join (
  select p.id, left(p.content, $4::int) as content, p.trust, p.created_at, importance_of(p, $5::timestamptz) as weight
  from passages p where p.user_id = $1 and p.archive_id = $2::uuid and p.replaced_by is null
  order by weight desc, p.created_at desc, p.id desc limit $3::int
) p on true
order by p.weight desc, p.created_at desc, p.id desc`;

/**
 * $1 user, $2 agent, $3 claim, $4 parts, $5 now, $6 when the next claim is allowed, $7 whether a user requested the refresh.
 */
const claimSynopses = `
insert into synopses as s (user_id, agent_id, part, claim, next_refresh_at)
select $1, $2::uuid, part, $3::uuid, $6::timestamptz from jsonb_array_elements_text($4::text::jsonb) part
on conflict (user_id, agent_id, part) do update set claim = excluded.claim, next_refresh_at = excluded.next_refresh_at
where s.next_refresh_at <= $5::timestamptz or (s.claim is null and $7::boolean)
returning part`;

/**
 * Counts the passages that exist, and locks them until the transaction ends. A concurrent deletion either ends before, or
 * waits and then finds the text that was made from the passages. $1 user, $2 ids.
 */
export const lockPassages = `
with held as materialized (
  select id from passages
  where user_id = $1 and id = any (array(${idsIn("$2")}))
  order by id for key share
)
select count(*)::int as held from held`;

const given = givenRows(
  synopses,
  `content trust at expiresAt leftOut memoryTokens tokens model ${usageFields} dollars`,
);

/** $1 user, $2 agent, $3 claim, $4 the parts. */
const saveSynopses = `
update synopses s
set (${given.columns}) = row(${given.values}), claim = null,
  passages = array(select jsonb_array_elements_text(g.passages)::uuid)
from ${given.from("$4", ", part text, passages jsonb")}
where s.user_id = $1 and s.agent_id = $2::uuid and s.part = g.part and s.claim = $3::uuid
returning s.part`;

/** Releases a claim: $1 user, $2 agent, $3 claim. */
const releaseSynopses = `
update synopses set claim = null where user_id = $1 and agent_id = $2::uuid and claim = $3::uuid`;

/** $1 user, $2 agent. */
const clearSynopses = `
with hidden as (
  update conversations set memory_snapshot = memory_snapshot - 'synopsis'
  where user_id = $1 and agent_id = $2::uuid and memory_snapshot ? 'synopsis'
), gone as (
  delete from synopses where user_id = $1 and agent_id = $2::uuid returning content
)
select count(content)::int as cleared from gone`;

/** Whether a conversation's prompt shows a synopsis: $1 user, $2 conversation. */
const isSynopsisShown = `
select from conversations where user_id = $1 and id = $2::uuid and memory_snapshot ? 'synopsis'`;
