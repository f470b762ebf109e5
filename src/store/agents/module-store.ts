// Stores core memory's modules and their revisions.
import { and, desc, eq, gte, inArray, lte, min, or } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import type { ChangeCause, ModuleChange, ModuleRecord, NewModule, RevisionRecord } from "../../memory/records.ts";
import type { ModuleStore, RevisionQuery } from "../../memory/store.ts";
import { requireAgent, requireGrant } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import { changeInOrder } from "./module-changes.ts";
import { type ModuleRow, moduleOfRow, moduleRow, revisionOfRow } from "./module-rows.ts";
import { modules, revisions } from "../schema.ts";
import { visibleModules } from "../sql/visible-modules.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

export function createModuleStore(context: UserContext): ModuleStore {
  const { userId, transaction, repeatable } = context;
  return {
    list: (agentId) => list(context, agentId),
    addMissing: (agentId, missing) => transaction((tx) => addMissing(tx, userId, { agentId, missing })),
    change: (agentId, changes, cause) => transaction((tx) => change(tx, userId, { agentId, changes, cause })),
    revisions: (agentId, query) => repeatable((tx) => listRevisions(tx, userId, { agentId, query })),
    madeBy: (agentId, messageIds) => repeatable((tx) => madeBy(tx, userId, { agentId, messageIds })),
  };
}

async function list({ userId, repeatable, statement }: UserContext, agentId: string): Promise<readonly ModuleRecord[]> {
  const rows = isUuid(agentId) ? await statement<ModuleRow>(visibleModules, [userId, agentId]) : [];
  // Only an agent without modules needs another query to be told from one that the user has never used.
  if (rows.length === 0) await repeatable((tx) => requireGrant(tx, userId, agentId));
  return rows.map(moduleOfRow);
}

const newestFirst = [desc(revisions.createdAt), desc(revisions.revision), revisions.label];

async function listRevisions(
  tx: Transaction,
  userId: string,
  { agentId, query }: { readonly agentId: string; readonly query: RevisionQuery },
): Promise<readonly RevisionRecord[]> {
  await requireGrant(tx, userId, agentId);
  const { label, from, through, limit } = query;
  const rows = await tx.tables
    .select()
    .from(revisions)
    .where(
      and(
        eq(revisions.userId, userId),
        eq(revisions.agentId, agentId),
        label === undefined ? undefined : eq(revisions.label, storableText(label)),
        from === undefined ? undefined : gte(revisions.revision, from),
        through === undefined ? undefined : lte(revisions.revision, through),
      ),
    )
    .orderBy(...newestFirst)
    .limit(limit);
  return rows.map(revisionOfRow);
}

async function madeBy(
  tx: Transaction,
  userId: string,
  { agentId, messageIds }: { readonly agentId: string; readonly messageIds: readonly string[] },
): Promise<readonly RevisionRecord[]> {
  await requireGrant(tx, userId, agentId);
  const ofAgent = and(eq(revisions.userId, userId), eq(revisions.agentId, agentId));
  const touched = await tx.tables
    .select({ label: revisions.label, oldest: min(revisions.revision) })
    .from(revisions)
    .where(and(ofAgent, inArray(revisions.messageId, messageIds.filter(isUuid))))
    .groupBy(revisions.label);
  if (touched.length === 0) return [];
  const later = touched.map(({ label, oldest }) =>
    and(eq(revisions.label, label), gte(revisions.revision, (oldest ?? 0) - 1)),
  );
  const rows = await tx.tables
    .select()
    .from(revisions)
    .where(and(ofAgent, or(...later)))
    .orderBy(...newestFirst);
  return rows.map(revisionOfRow);
}

async function addMissing(
  tx: Transaction,
  userId: string,
  { agentId, missing }: { readonly agentId: string; readonly missing: readonly NewModule[] },
): Promise<void> {
  const ownerId = await requireAgent(tx, userId, agentId);
  const there = await tx.run<ModuleRow>(visibleModules, [userId, agentId]);
  const labels = new Set(there.map((module) => module.label));
  const addable = missing.filter(
    (module) => !labels.has(module.label) && (module.scope === "user" || ownerId === userId),
  );
  if (addable.length === 0) return;
  await ensureUser(tx, userId);
  // New modules follow the existing ones, in the caller's order.
  const [last] = await tx.run<{ readonly position: number }>(
    "select coalesce(max(position), -1) as position from modules where agent_id = $1::uuid and user_id in ($2, $3)",
    [agentId, userId, ownerId],
  );
  const from = (last?.position ?? -1) + 1;
  const rows = addable.map((module, index) => moduleRow(module, { userId, agentId, position: from + index }));
  await tx.tables.insert(modules).values(rows).onConflictDoNothing();
}

async function change(
  tx: Transaction,
  userId: string,
  request: { readonly agentId: string; readonly changes: readonly ModuleChange[]; readonly cause: ChangeCause },
): Promise<void> {
  const { agentId, changes, cause } = request;
  await requireAgent(tx, userId, agentId);
  await changeInOrder(tx, { userId, agentId }, changes, cause);
}
