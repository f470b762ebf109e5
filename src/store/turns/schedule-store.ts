// Stores schedules and their runs.
// Invariant: a due time is claimed by the update of `next_at`, which only one process wins.
import { and, asc, desc, eq, gt, isNotNull, lte, type SQL } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import type {
  Advance,
  RunClaim,
  ScheduleChange,
  ScheduleRecord,
  ScheduleRun,
  ScheduleStore,
} from "../port/schedule-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { ensureUser } from "../agents/known-user.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { scheduleRuns, schedules, users } from "../schema.ts";
import { isUuid } from "../uuid.ts";

/** Schedules and runs that one poll returns. */
const batch = 100;

export function createScheduleStore({ userId, transaction, repeatable }: UserContext): ScheduleStore {
  const own = (id: string) => and(eq(schedules.userId, userId), eq(schedules.id, id));
  return {
    create: (schedule) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, schedule.agentId);
        await ensureUser(tx, userId);
        await tx.tables.insert(schedules).values({ ...schedule, text: storableText(schedule.text), userId });
      }),
    find: (id) =>
      repeatable(async (tx) => {
        if (!isUuid(id)) return null;
        const [row] = await tx.tables.select().from(schedules).where(own(id));
        return row === undefined ? null : scheduleOfRow(row);
      }),
    list: (agentId) =>
      repeatable(async (tx) => {
        const of = and(eq(schedules.userId, userId), eq(schedules.agentId, agentId));
        const order = [asc(schedules.createdAt), asc(schedules.id)];
        const rows = await tx.tables
          .select()
          .from(schedules)
          .where(of)
          .orderBy(...order);
        return rows.map(scheduleOfRow);
      }),
    update: (id, change) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const rows = await tx.tables.update(schedules).set(storableChange(change)).where(own(id)).returning();
        return rows.length > 0;
      }),
    delete: (id) =>
      transaction(
        async (tx) => isUuid(id) && (await tx.tables.delete(schedules).where(own(id)).returning()).length > 0,
      ),
    runs: (id, limit) =>
      repeatable(async (tx) => {
        if (!isUuid(id)) return [];
        return runsWhere(tx, [eq(scheduleRuns.userId, userId), eq(scheduleRuns.scheduleId, id)], limit);
      }),
    poll: (now) => repeatable((tx) => poll(tx, userId, now)),
    polledAt: () => repeatable((tx) => polledAt(tx, userId)),
    advance: (id, advance) => transaction((tx) => claim(tx, { userId, id }, advance)),
    takeOver: (run, { now, until }) =>
      transaction(async (tx) => {
        const lapsed = and(runOf(userId, run), eq(scheduleRuns.status, "running"), lte(scheduleRuns.claimedUntil, now));
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

function storableChange(change: ScheduleChange): ScheduleChange {
  return change.text === undefined ? change : { ...change, text: storableText(change.text) };
}

async function poll(tx: Transaction, userId: string, now: Date) {
  await tx.tables.update(users).set({ schedulesPolledAt: now }).where(eq(users.userId, userId));
  const waiting = and(eq(schedules.userId, userId), isNotNull(schedules.nextAt));
  const inOrder = (when: SQL, limit: number) =>
    tx.tables
      .select()
      .from(schedules)
      .where(and(waiting, when))
      .orderBy(asc(schedules.nextAt), asc(schedules.id))
      .limit(limit);
  const due = await inOrder(lte(schedules.nextAt, now), batch);
  const [next] = await inOrder(gt(schedules.nextAt, now), 1);
  const lapsed = [eq(scheduleRuns.status, "running"), lte(scheduleRuns.claimedUntil, now)];
  const abandoned = await runsWhere(tx, [eq(scheduleRuns.userId, userId), ...lapsed], batch);
  return { due: due.map(scheduleOfRow), abandoned, nextAt: next?.nextAt ?? null };
}

async function polledAt(tx: Transaction, userId: string): Promise<Date | null> {
  const [row] = await tx.tables.select().from(users).where(eq(users.userId, userId));
  return row?.schedulesPolledAt ?? null;
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

async function runsWhere(tx: Transaction, conditions: readonly SQL[], limit: number): Promise<readonly ScheduleRun[]> {
  const rows = await tx.tables
    .select()
    .from(scheduleRuns)
    .where(and(...conditions))
    .orderBy(desc(scheduleRuns.dueAt), asc(scheduleRuns.scheduleId))
    .limit(limit);
  return rows.map(({ userId: _user, claim: _claim, claimedUntil: _until, ...run }) => run);
}

function runOf(userId: string, { scheduleId, dueAt }: RunClaim): SQL | undefined {
  return and(eq(scheduleRuns.userId, userId), eq(scheduleRuns.scheduleId, scheduleId), eq(scheduleRuns.dueAt, dueAt));
}

function scheduleOfRow({ userId: _user, ...schedule }: typeof schedules.$inferSelect): ScheduleRecord {
  return schedule;
}
