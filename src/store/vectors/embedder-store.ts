// Stores the embedders of agents, and implements the steps of a re-embedding.
// Invariant: every step is one transaction under the user's lock; an embedder is switched to only if no vector is
// missing.
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentEmbedder, EmbedderRole, EmbedderStore, VectorKind } from "../port/embedder-store.ts";
import { agentNotFound } from "../agents/agent-access.ts";
import { forceCustomPlans, runWithCustomPlans } from "../connection/force-custom-plans.ts";
import { planStart, type PlannedAgent } from "./plan-reembedding.ts";
import {
  agentsBuilding,
  changeRole,
  dropped,
  embeddersOfAgents,
  embeddersOfSource,
  forgetDropped,
  listEmbedders,
  lockEmbedders,
  putEmbedder,
} from "../sql/agent-embedders.ts";
import { countMissingVectors, dropVectors, vectorCoverage } from "../sql/vectors.ts";
import { ensureUser } from "../agents/known-user.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";
import { needParameters } from "./vector-need-rows.ts";
import { createVectorTables } from "./vector-tables.ts";
import { timeOf } from "../stored-times.ts";

/** Agents with an embedder in one of these roles need its vectors. */
const activeRoles: readonly EmbedderRole[] = ["searched", "building", "kept"];

export function createEmbedderStore(context: UserContext): EmbedderStore {
  const { userId, transaction, repeatable } = context;
  const tables = createVectorTables(context);
  const alone = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    transaction(async (tx) => {
      await tx.run(lockEmbedders, [userId]);
      await forceCustomPlans(tx);
      return work(tx);
    });
  return {
    list: (agentId) =>
      repeatable(async (tx) => {
        if (agentId !== undefined && !isUuid(agentId)) return [];
        const rows = await tx.run<EmbedderRow>(listEmbedders, [userId, agentId ?? null]);
        return rows.map(({ since, ...row }) => ({ ...row, since: timeOf(since) }));
      }),
    ofSource: (sourceId) => repeatable((tx) => ofSource(tx, userId, sourceId)),
    async coverage({ embedder, dimensions }, agentIds) {
      await tables.ensure(dimensions);
      const parameters = [userId, storableText(embedder), idsAsJson(agentIds)];
      return runWithCustomPlans({ repeatable }, vectorCoverage(dimensions), parameters);
    },
    async begin(run) {
      await tables.ensure(run.to.dimensions);
      return alone((tx) => begin(tx, userId, run));
    },
    async switch(run) {
      await tables.ensure(run.to.dimensions);
      return alone((tx) => switchOver(tx, userId, run));
    },
    rollBack: (agentIds) => alone((tx) => rollBack(tx, userId, agentIds)),
    retire: (agentIds, role) => alone((tx) => change(tx, [userId, idsAsJson(agentIds), role, "dropping"])),
    async drop(limit) {
      const [kind] = await transaction((tx) => tx.run<VectorKind>(dropped, [userId]));
      if (kind === undefined) return { deleted: 0, isDone: true };
      await tables.ensure(kind.dimensions);
      const deleted = await alone((tx) => dropSome(tx, userId, { kind, limit }));
      return { deleted, isDone: false };
    },
  };
}

type EmbedderRow = Omit<AgentEmbedder, "since"> & { readonly since: string };

function idsAsJson(ids: readonly string[]): string {
  return storableJson(ids.filter(isUuid));
}

async function ofSource(tx: Transaction, userId: string, sourceId: string): ReturnType<EmbedderStore["ofSource"]> {
  if (!isUuid(sourceId)) return { kinds: [], usesDefault: false };
  interface Row {
    readonly agentId: string;
    readonly embedder: string | null;
    readonly dimensions: number | null;
    readonly role: EmbedderRole | null;
  }
  const rows = await tx.run<Row>(embeddersOfSource, [userId, sourceId]);
  const kinds = new Map<string, VectorKind>();
  for (const { embedder, dimensions } of rows) {
    if (embedder !== null && dimensions !== null) kinds.set(`${dimensions} ${embedder}`, { embedder, dimensions });
  }
  return { kinds: [...kinds.values()], usesDefault: rows.length === 0 || rows.some(({ role }) => role === null) };
}

async function begin(
  tx: Transaction,
  userId: string,
  { agentIds, to, otherwise }: Parameters<EmbedderStore["begin"]>[0],
): ReturnType<EmbedderStore["begin"]> {
  const rows = await tx.run<PlannedAgent>(embeddersOfAgents, [userId, idsAsJson(agentIds)]);
  const known = new Set(rows.map(({ agentId }) => agentId));
  if (agentIds.some((id) => !known.has(id))) throw agentNotFound();
  const { refusal, building, added } = planStart(rows, { to, otherwise });
  if (refusal !== null) throw new RequestError("reembedding_refused", refusal);
  await ensureUser(tx, userId);
  for (const { agentId, embedder, dimensions, role } of added) {
    await tx.run(putEmbedder, [userId, agentId, storableText(embedder), dimensions, role]);
  }
  return { building };
}

async function switchOver(
  tx: Transaction,
  userId: string,
  { agentIds, to, refused }: Parameters<EmbedderStore["switch"]>[0],
): ReturnType<EmbedderStore["switch"]> {
  const embedder = storableText(to.embedder);
  const asked = [userId, idsAsJson(agentIds), embedder, to.dimensions];
  const switched = (await tx.run<{ readonly agentId: string }>(agentsBuilding, asked)).map(({ agentId }) => agentId);
  if (switched.length === 0) return { switched, missing: 0 };
  const need = needParameters({ ...to, roles: ["building"], isDefault: false, agentIds: switched });
  const [row] = await tx.run<{ readonly missing: number }>(countMissingVectors(to.dimensions), [
    userId,
    ...need,
    idsAsJson(refused),
  ]);
  if (row!.missing > 0) return { switched: [], missing: row!.missing };
  await change(tx, [userId, idsAsJson(switched), "searched", "kept"]);
  await change(tx, [userId, idsAsJson(switched), "building", "searched"]);
  return { switched, missing: 0 };
}

async function rollBack(tx: Transaction, userId: string, agentIds: readonly string[]): Promise<readonly string[]> {
  // Swaps through a third role, which no agent that keeps an embedder has: an agent never has a role twice, not even
  // temporarily.
  const agents = await change(tx, [userId, idsAsJson(agentIds), "kept", "building"]);
  await change(tx, [userId, idsAsJson(agents), "searched", "kept"]);
  await change(tx, [userId, idsAsJson(agents), "building", "searched"]);
  return agents;
}

async function change(
  tx: Transaction,
  parameters: readonly [user: string, agents: string, from: EmbedderRole, to: EmbedderRole],
): Promise<readonly string[]> {
  const rows = await tx.run<{ readonly agentId: string }>(changeRole, [...parameters]);
  return rows.map(({ agentId }) => agentId).toSorted();
}

async function dropSome(
  tx: Transaction,
  userId: string,
  { kind, limit }: { readonly kind: VectorKind; readonly limit: number },
): Promise<number> {
  const { embedder, dimensions } = kind;
  // The default embedder of other runtimes is unknown here: vectors of agents without their own embedder are kept.
  const need = needParameters({ ...kind, roles: activeRoles, isDefault: true });
  let deleted = 0;
  for (const items of ["passages", "messages"] as const) {
    const parameters = [userId, ...need, limit - deleted];
    deleted += (await tx.run(dropVectors(items, dimensions), parameters)).length;
  }
  if (deleted < limit) await tx.run(forgetDropped, [userId, embedder, dimensions]);
  return deleted;
}
