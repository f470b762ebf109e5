// Stores core memory's modules and their revisions.
import { and, desc, eq, getTableColumns, gte, inArray, lte, min, or } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import type { ChangeCause, ModuleChange, ModuleRecord, NewModule, RevisionRecord } from "../port/records.ts";
import type { ModuleStore, RevisionQuery } from "../port/store.ts";
import { requireAgent, requireGrant } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import { changeInOrder, refusedChange } from "./module-changes.ts";
import { type ModuleRow, moduleOfRow, moduleRow, revisionOfRow } from "./module-rows.ts";
import { agentModules, revisions } from "../schema.ts";
import { createModules } from "../sql/create-agent.ts";
import { visibleModules } from "../sql/visible-modules.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isRefusedWrite } from "../connection/database-error.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

export function createModuleStore(context: UserContext): ModuleStore {
  const { userId, transaction, repeatable } = context;
  return {
    list: (agentId) => list(context, agentId),
    addMissing: (agentId, missing) => transaction((tx) => addMissing(tx, userId, { agentId, missing })),
    change: (agentId, changes, cause) => change(context, { agentId, changes, cause }),
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

const newestFirst = [desc(revisions.createdAt), desc(revisions.revision), agentModules.label];
const labelledRevision = { ...getTableColumns(revisions), label: agentModules.label };
const ofHeldModule = and(eq(revisions.userId, agentModules.ownerId), eq(revisions.moduleId, agentModules.moduleId));
const heldBy = (userId: string, agentId: string) =>
  and(eq(agentModules.userId, userId), eq(agentModules.agentId, agentId));

async function listRevisions(
  tx: Transaction,
  userId: string,
  { agentId, query }: { readonly agentId: string; readonly query: RevisionQuery },
): Promise<readonly RevisionRecord[]> {
  await requireGrant(tx, userId, agentId);
  const { label, from, through, limit } = query;
  const rows = await tx.tables
    .select(labelledRevision)
    .from(agentModules)
    .innerJoin(revisions, ofHeldModule)
    .where(
      and(
        heldBy(userId, agentId),
        label === undefined ? undefined : eq(agentModules.label, storableText(label)),
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
  const touched = await tx.tables
    .select({ label: agentModules.label, oldest: min(revisions.revision) })
    .from(agentModules)
    .innerJoin(revisions, ofHeldModule)
    .where(and(heldBy(userId, agentId), inArray(revisions.messageId, messageIds.filter(isUuid))))
    .groupBy(agentModules.label);
  if (touched.length === 0) return [];
  const later = touched.map(({ label, oldest }) =>
    and(eq(agentModules.label, label), gte(revisions.revision, (oldest ?? 0) - 1)),
  );
  const rows = await tx.tables
    .select(labelledRevision)
    .from(agentModules)
    .innerJoin(revisions, ofHeldModule)
    .where(and(heldBy(userId, agentId), or(...later)))
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
    "select coalesce(max(position), -1) as position from agent_modules where agent_id = $1::uuid and user_id in ($2, $3)",
    [agentId, userId, ownerId],
  );
  const from = (last?.position ?? -1) + 1;
  const rows = addable.map((module, index) => moduleRow(module, from + index));
  await tx.run(createModules, [userId, agentId, storableJson(rows)]);
}

async function change(
  { userId, transaction, repeatable }: UserContext,
  request: { readonly agentId: string; readonly changes: readonly ModuleChange[]; readonly cause: ChangeCause },
): Promise<void> {
  const { agentId, changes, cause } = request;
  const whose = { userId, agentId };
  await transaction(async (tx) => {
    await requireAgent(tx, userId, agentId);
    await changeInOrder(tx, whose, changes, cause);
  }).catch(async (error: unknown) => {
    if (!isRefusedWrite(error)) throw error;
    throw await repeatable((tx) => refusedChange(tx, whose, changes));
  });
}
