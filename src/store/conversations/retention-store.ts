// Applies retention: drops rows that no turn needs, in batches, and records what was dropped.
// Invariant: rows are counted in the transaction that drops them; only the user's own rows are read.
import { and, desc, eq, gt } from "drizzle-orm";
import type { DroppedRows, RetainedKind, RetentionSettings, SweepRecord } from "../port/records.ts";
import type { RetentionStore, SweepPart } from "../port/store.ts";
import { requireAgent, requireGrant } from "../agents/agent-access.ts";
import { ensureUser } from "../agents/known-user.ts";
import { sweeps } from "../schema.ts";
import { isOverLimit } from "../sql/is-over-limit.ts";
import { dropMessages, dropPassages, dropRevisions, dropSteps } from "../sql/drop-rows.ts";
import type { SqlParameter, Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { timeOf, timeText } from "../stored-times.ts";

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
        const [done] = await tx.run<{ readonly rows: number; readonly through: string | null }>(statement, [
          userId,
          part.agentId,
          part.id,
          part.batch,
          ...limits,
        ]);
        // No row: there is no such sweep, and nothing was dropped.
        if (done === undefined) return nothing;
        return { rows: done.rows, through: done.through === null ? null : timeOf(done.through) };
      }),
    isOver: (agentId, { rows, megabytes }) =>
      transaction(async (tx) => {
        const bytes = megabytes === undefined ? null : Math.round(megabytes * megabyte);
        const [found] = await tx.run<{ readonly over: boolean }>(isOverLimit, [userId, agentId, rows ?? null, bytes]);
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

async function hasSweepAfter(
  tx: Transaction,
  { userId, agentId }: { readonly userId: string; readonly agentId: string },
  after: Date,
): Promise<boolean> {
  const found = await tx.tables
    .select({ id: sweeps.id })
    .from(sweeps)
    .where(and(eq(sweeps.userId, userId), eq(sweeps.agentId, agentId), gt(sweeps.createdAt, after)))
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
    limits: [rows ?? null, megabytes === undefined ? null : Math.round(megabytes * megabyte), timeText(at)],
  }),
};

/** Returns null if no limit applies to this kind of row. */
function statementOf({ kind, limits, at }: SweepPart): DropStatement | null {
  const ofKind = limits[kind];
  return ofKind === undefined ? null : statements[kind](ofKind, at);
}

function daysBefore(at: Date, days: number | undefined): string | null {
  return days === undefined ? null : timeText(new Date(at.getTime() - days * dayMs));
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
