// Stores core memory's modules and their revisions.
import { and, desc, eq, gte, lte, min, or, type SQL, sql } from "drizzle-orm";
import type { UserContext } from "../connection/database.ts";
import { isRefusedWrite } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { ensureUser } from "../own-rows.ts";
import type { ModuleStore } from "../port/agent-store.ts";
import type { NewModule, RevisionRecord } from "../port/records.ts";
import { agentModules, revisions } from "../schema.ts";
import { createModules } from "../sql/create-agent.ts";
import { storableId } from "../stored-values.ts";
import { requireAgent, requireGrant } from "./agent-access.ts";
import { changeInOrder, refusedChange } from "./module-changes.ts";
import { labelledRevision, moduleOfRow, moduleRow, type ModuleRow, visibleModules } from "./module-rows.ts";

export function createModuleStore({ userId, transaction, repeatable, statement }: UserContext): ModuleStore {
  return {
    async list(agentId) {
      const rows = await statement<ModuleRow>(visibleModules, [userId, agentId]);
      // If there are no modules, checks that the user has a grant of the agent, even an ended one.
      if (rows.length === 0) await repeatable((tx) => requireGrant(tx, userId, agentId));
      return rows.map(moduleOfRow);
    },
    addMissing: (agentId, missing) => transaction((tx) => addMissing(tx, userId, { agentId, missing })),
    change: (agentId, changes, cause) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        await changeInOrder(tx, { userId, agentId }, changes, cause);
      }).catch(async (error: unknown) => {
        if (!isRefusedWrite(error)) throw error;
        throw await repeatable((tx) => refusedChange(tx, { userId, agentId }, changes));
      }),
    revisions: (agentId, { label, from, through, since, limit }) =>
      repeatable(async (tx) => {
        await requireGrant(tx, userId, agentId);
        const conditions = [
          heldBy(userId, agentId),
          label === undefined ? undefined : eq(agentModules.label, label),
          from === undefined ? undefined : gte(revisions.revision, from),
          through === undefined ? undefined : lte(revisions.revision, through),
          since === undefined ? undefined : gte(revisions.at, since),
        ];
        return revisionsWhere(tx, and(...conditions)).limit(limit);
      }),
    madeBy: (agentId, messageIds) => repeatable((tx) => madeBy(tx, userId, { agentId, messageIds })),
  };
}

const ofHeldModule = and(eq(revisions.userId, agentModules.ownerId), eq(revisions.moduleId, agentModules.moduleId));
const heldBy = (userId: string, agentId: string) =>
  and(eq(agentModules.userId, userId), eq(agentModules.agentId, agentId));

/** Returns revisions, newest first. */
function revisionsWhere(tx: Transaction, condition: SQL | undefined) {
  const rows = tx.tables.select(labelledRevision).from(agentModules).innerJoin(revisions, ofHeldModule);
  return rows.where(condition).orderBy(desc(revisions.at), desc(revisions.revision), agentModules.label);
}

async function madeBy(
  tx: Transaction,
  userId: string,
  { agentId, messageIds }: { readonly agentId: string; readonly messageIds: readonly string[] },
): Promise<readonly RevisionRecord[]> {
  await requireGrant(tx, userId, agentId);
  // The ids are one JSON parameter: a statement has at most 65,535 parameters, and there may be more messages.
  const made = JSON.stringify(messageIds.map(storableId));
  const touched = await tx.tables
    .select({ label: agentModules.label, oldest: min(revisions.revision) })
    .from(agentModules)
    .innerJoin(revisions, ofHeldModule)
    .where(
      and(
        heldBy(userId, agentId),
        sql`${revisions.messageId} in (select value::uuid from jsonb_array_elements_text(${made}::text::jsonb))`,
      ),
    )
    .groupBy(agentModules.label);
  if (touched.length === 0) return [];
  const later = touched.map(({ label, oldest }) =>
    and(eq(agentModules.label, label), gte(revisions.revision, (oldest ?? 0) - 1)),
  );
  return revisionsWhere(tx, and(heldBy(userId, agentId), or(...later)));
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
  await tx.run(createModules, [userId, agentId, rows]);
}
