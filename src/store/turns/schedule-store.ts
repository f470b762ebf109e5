// Stores schedules and their runs.
// Invariant: a process claims a due time by a conditional update of `next_at`, which succeeds for one process only.
import { and, asc, desc, eq, getTableColumns, gt, isNotNull, lte, type SQL } from "drizzle-orm";
import { requireAgent } from "../agents/agent-access.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows } from "../own-rows.ts";
import type { Advance, DueSchedules, RunClaim, ScheduleRun, ScheduleStore } from "../port/schedule-store.ts";
import { scheduleRuns, schedules, users } from "../schema.ts";

/** Maximum number of schedules, and of runs, that one poll returns. */
const batch = 100;

export function createScheduleStore({ userId, transaction, repeatable }: UserContext): ScheduleStore {
  const rows = createOwnRows(schedules, userId);
  return {
    create: (schedule) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, schedule.agentId);
        await rows.insert(tx, schedule);
      }),
    find: (id) => repeatable((tx) => rows.find(tx, id)),
    list: (agentId) => repeatable((tx) => rows.list(tx, eq(schedules.agentId, agentId))),
    update: (id, change) => transaction(async (tx) => (await rows.update(tx, id, change)) !== null),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
    runs: (id, limit) =>
      repeatable((tx) => runsWhere(tx, userId, { conditions: [eq(scheduleRuns.scheduleId, id)], limit })),
    poll: (now) => repeatable((tx) => poll(tx, userId, now)),
    polledAt: () =>
      repeatable(async (tx) => {
        const [row] = await tx.tables.select().from(users).where(eq(users.userId, userId));
        return row?.schedulesPolledAt ?? null;
      }),
    advance: (id, advance) => transaction((tx) => claim(tx, { userId, id }, advance)),
    takeOver: (run, { now, until }) =>
      transaction(async (tx) => {
        const lapsed = and(runOf(userId, run), ...lapsedAt(now));
        const taken = { claim: run.claim, claimedUntil: until };
        return (await tx.tables.update(scheduleRuns).set(taken).where(lapsed).returning()).length > 0;
      }),
    record: (run, change) =>
      transaction(async (tx) => {
        const claimed = and(runOf(userId, run), eq(scheduleRuns.claim, run.claim), eq(scheduleRuns.status, "running"));
        return (await tx.tables.update(scheduleRuns).set(change).where(claimed).returning()).length > 0;
      }),
  };
}

async function poll(tx: Transaction, userId: string, now: Date): Promise<DueSchedules> {
  await tx.tables.update(users).set({ schedulesPolledAt: now }).where(eq(users.userId, userId));
  const { userId: _user, ...columns } = getTableColumns(schedules);
  const inOrder = (when: SQL, limit: number) =>
    tx.tables
      .select(columns)
      .from(schedules)
      .where(and(eq(schedules.userId, userId), isNotNull(schedules.nextAt), when))
      .orderBy(asc(schedules.nextAt), asc(schedules.id))
      .limit(limit);
  const due = await inOrder(lte(schedules.nextAt, now), batch);
  const [next] = await inOrder(gt(schedules.nextAt, now), 1);
  const abandoned = await runsWhere(tx, userId, { conditions: lapsedAt(now), limit: batch });
  return { due, abandoned, nextAt: next?.nextAt ?? null };
}

/** Returns the conditions that select the runs with status `running` whose claim has expired. */
function lapsedAt(now: Date): readonly SQL[] {
  return [eq(scheduleRuns.status, "running"), lte(scheduleRuns.claimedUntil, now)];
}

async function claim(
  tx: Transaction,
  { userId, id }: { readonly userId: string; readonly id: string },
  { from, to, run }: Advance,
): Promise<boolean> {
  const atDue = and(eq(schedules.userId, userId), eq(schedules.id, id), eq(schedules.nextAt, from));
  const moved = await tx.tables.update(schedules).set({ nextAt: to }).where(atDue).returning();
  if (moved.length === 0) return false;
  if (run === null) return true;
  const { status, outcome, claim: claimant, until } = run;
  const row = { userId, scheduleId: id, dueAt: from, status, outcome, claim: claimant, claimedUntil: until };
  const added = await tx.tables.insert(scheduleRuns).values(row).onConflictDoNothing().returning();
  await tx.run(dropOldRuns, [userId, id]);
  return added.length > 0;
}

const dropOldRuns = `
delete from schedule_runs
where user_id = $1 and schedule_id = $2::uuid and status <> 'running' and due_at < (
  select due_at from schedule_runs where user_id = $1 and schedule_id = $2::uuid order by due_at desc offset 99 limit 1
)`;

async function runsWhere(
  tx: Transaction,
  userId: string,
  { conditions, limit }: { readonly conditions: readonly SQL[]; readonly limit: number },
): Promise<readonly ScheduleRun[]> {
  const { userId: _user, claim: _claim, claimedUntil: _until, ...columns } = getTableColumns(scheduleRuns);
  return tx.tables
    .select(columns)
    .from(scheduleRuns)
    .where(and(eq(scheduleRuns.userId, userId), ...conditions))
    .orderBy(desc(scheduleRuns.dueAt), asc(scheduleRuns.scheduleId))
    .limit(limit);
}

function runOf(userId: string, { scheduleId, dueAt }: RunClaim): SQL | undefined {
  return and(eq(scheduleRuns.userId, userId), eq(scheduleRuns.scheduleId, scheduleId), eq(scheduleRuns.dueAt, dueAt));
}
