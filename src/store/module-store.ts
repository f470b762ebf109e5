// Core memory's modules and their revisions.
// Invariant: an agent's own modules are its owner's rows; every other user of the agent reads them and cannot change them.
import { and, desc, eq } from "drizzle-orm";
import { storableText } from "../base/code-points.ts";
import type { ChangeCause, ModuleChange, ModuleRecord } from "../memory/records.ts";
import type { ModuleStore } from "../memory/store.ts";
import { requireAgent } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import { causeAsJson, changesAsJson, requireAllEdited } from "./module-changes.ts";
import { type ModuleRow, moduleOfRow, moduleRow, revisionOfRow } from "./module-rows.ts";
import { modules, revisions } from "./schema.ts";
import { changeCoreMemory } from "./sql/change-core-memory.ts";
import { visibleModules } from "./sql/visible-modules.ts";
import type { Transaction } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";

type NewModule = Omit<ModuleRecord, "revision">;

export function createModuleStore({ userId, transaction }: UserContext): ModuleStore {
  return {
    list: (agentId) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        return (await tx.run<ModuleRow>(visibleModules, [userId, agentId])).map(moduleOfRow);
      }),
    addMissing: (agentId, missing) => transaction((tx) => addMissing(tx, userId, { agentId, missing })),
    change: (agentId, changes, cause) => transaction((tx) => change(tx, userId, { agentId, changes, cause })),
    revisions: (agentId, options) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        const ofLabel = options.label === undefined ? undefined : eq(revisions.label, storableText(options.label));
        const rows = await tx.tables
          .select()
          .from(revisions)
          .where(and(eq(revisions.userId, userId), eq(revisions.agentId, agentId), ofLabel))
          .orderBy(desc(revisions.createdAt), desc(revisions.revision), revisions.label)
          .limit(options.limit);
        return rows.map(revisionOfRow);
      }),
  };
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
  // Their order among themselves is the caller's; they come after what was there.
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
  if (changes.length === 0) return;
  const edited = await tx.run<{ readonly label: string }>(changeCoreMemory, [
    userId,
    agentId,
    changesAsJson(changes),
    causeAsJson(cause),
  ]);
  await requireAllEdited(
    tx,
    { userId, agentId },
    changes,
    edited.map((row) => row.label),
  );
}
