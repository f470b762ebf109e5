// Stores the embedders of agents, and implements the steps of a re-embedding.
// Invariant: every step is one transaction under the user's lock; agents switch to an embedder only if none of its vectors is
// missing.
import { RequestError } from "../../base/errors.ts";
import { agentNotFound } from "../agents/agent-access.ts";
import type { UserContext } from "../connection/database.ts";
import { forceCustomPlans, runWithCustomPlans } from "../connection/force-custom-plans.ts";
import type { Transaction } from "../connection/transaction.ts";
import { ensureUser } from "../own-rows.ts";
import type { AgentEmbedder, EmbedderRole, EmbedderStore, VectorKind } from "../port/embedder-store.ts";
import { countMissingVectors, dropVectors, vectorCoverage } from "../sql/vectors.ts";
import { idsIn, isUuid } from "../stored-values.ts";
import { planStart, type PlannedAgent } from "./plan-reembedding.ts";
import { createVectorTables, needParameters } from "./vector-tables.ts";

/** Agents with an embedder in one of these roles need the embedder's vectors. */
const activeRoles: readonly EmbedderRole[] = ["searched", "building", "kept"];

export function createEmbedderStore(context: UserContext): EmbedderStore {
  const { userId, transaction, repeatable, statement } = context;
  const tables = createVectorTables(context);
  const alone = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    transaction(async (tx) => {
      await tx.run(lockEmbedders, [userId]);
      await forceCustomPlans(tx);
      return work(tx);
    });
  const list = (agentId?: string) => statement<AgentEmbedder>(listEmbedders, [userId, agentId]);
  const searched = new Map<string, VectorKind | undefined>();
  return {
    async searched(agentId, asOf) {
      if (asOf === "now" || !searched.has(agentId))
        searched.set(
          agentId,
          (await list(agentId)).find(({ role }) => role === "searched"),
        );
      return searched.get(agentId);
    },
    list,
    ofSource: (sourceId) => repeatable((tx) => ofSource(tx, userId, sourceId)),
    async coverage({ embedder, dimensions }, agentIds) {
      await tables.ensure(dimensions);
      const parameters = [userId, embedder, agentIds.filter(isUuid)];
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
    retire: (agentIds, role) => alone((tx) => change(tx, [userId, agentIds.filter(isUuid), role, "dropping"])),
    async drop(limit) {
      const [kind] = await transaction((tx) => tx.run<VectorKind>(dropped, [userId]));
      if (kind === undefined) return { deleted: 0, isDone: true };
      await tables.ensure(kind.dimensions);
      const deleted = await alone((tx) => dropSome(tx, userId, { kind, limit }));
      return { deleted, isDone: false };
    },
  };
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
  const rows = await tx.run<PlannedAgent>(embeddersOfAgents, [userId, agentIds.filter(isUuid)]);
  const known = new Set(rows.map(({ agentId }) => agentId));
  if (agentIds.some((id) => !known.has(id))) throw agentNotFound();
  const { refusal, building, added } = planStart(rows, { to, otherwise });
  if (refusal !== null) throw new RequestError("reembedding_refused", refusal);
  await ensureUser(tx, userId);
  for (const { agentId, embedder, dimensions, role } of added) {
    await tx.run(putEmbedder, [userId, agentId, embedder, dimensions, role]);
  }
  return { building };
}

async function switchOver(
  tx: Transaction,
  userId: string,
  { agentIds, to, refused }: Parameters<EmbedderStore["switch"]>[0],
): ReturnType<EmbedderStore["switch"]> {
  const asked = [userId, agentIds.filter(isUuid), to.embedder, to.dimensions];
  const switched = (await tx.run<{ readonly agentId: string }>(agentsBuilding, asked)).map(({ agentId }) => agentId);
  if (switched.length === 0) return { switched, missing: 0 };
  const need = needParameters({ ...to, roles: ["building"], isDefault: false, agentIds: switched });
  const [row] = await tx.run<{ readonly missing: number }>(countMissingVectors(to.dimensions), [
    userId,
    ...need,
    refused.filter(isUuid),
  ]);
  if (row!.missing > 0) return { switched: [], missing: row!.missing };
  await change(tx, [userId, switched.filter(isUuid), "searched", "kept"]);
  await change(tx, [userId, switched.filter(isUuid), "building", "searched"]);
  return { switched, missing: 0 };
}

async function rollBack(tx: Transaction, userId: string, agentIds: readonly string[]): Promise<readonly string[]> {
  // Swaps `kept` and `searched` by way of `building`, because an agent must never have two embedders in one role, not
  // even temporarily. `building` is free: an agent with a kept embedder builds no other.
  const agents = await change(tx, [userId, agentIds.filter(isUuid), "kept", "building"]);
  await change(tx, [userId, agents.filter(isUuid), "searched", "kept"]);
  await change(tx, [userId, agents.filter(isUuid), "building", "searched"]);
  return agents;
}

async function change(
  tx: Transaction,
  parameters: readonly [user: string, agents: readonly string[], from: EmbedderRole, to: EmbedderRole],
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
  // `isDefault` keeps the vectors of agents without their own embedder: this embedder may be another runtime's default.
  const need = needParameters({ ...kind, roles: activeRoles, isDefault: true });
  let deleted = 0;
  for (const items of ["passages", "messages"] as const) {
    const parameters = [userId, ...need, limit - deleted];
    deleted += (await tx.run(dropVectors(items, dimensions), parameters)).length;
  }
  if (deleted < limit) await tx.run(forgetDropped, [userId, embedder, dimensions]);
  return deleted;
}

/** The lock of a user's embedders. Every writer takes it, so that two re-embeddings see each other's rows. $1 user. */
const lockEmbedders = "select pg_advisory_xact_lock(hashtextextended('palimpsest embedders ' || $1, 0))";

/** Embedders, ordered by agent. $1 user, $2 an agent or null for all. */
const listEmbedders = `
select agent_id as "agentId", embedder, dimensions, role, since
from agent_embedders
where user_id = $1 and ($2::uuid is null or agent_id = $2::uuid)
order by agent_id, since, embedder, dimensions`;

/** The agents attached to a source, with their embedders. $1 user, $2 source. */
const embeddersOfSource = `
select a.agent_id as "agentId", e.embedder, e.dimensions, e.role
from agent_sources a
left join agent_embedders e on e.user_id = $1 and e.agent_id = a.agent_id and e.role in ('searched', 'kept')
where a.user_id = $1 and a.source_id = $2::uuid
order by e.embedder, e.dimensions`;

/** Returns agents that the user may use, each with its embedders. $1 user, $2 agents. */
const embeddersOfAgents = `
select a.id as "agentId", case when a.user_id = $1 then a.name else a.user_id || '/' || a.name end as name, e.embedder, e.dimensions, e.role
from grants g
join agents a on a.user_id = g.owner_id and a.id = g.agent_id
left join agent_embedders e on e.user_id = $1 and e.agent_id = a.id
where g.user_id = $1 and g.is_usable and g.agent_id in (${idsIn("$2")})
order by a.id`;

/** Inserts an embedder, or updates the role of an existing one. $1 user, $2 agent, $3 embedder, $4 dimensions, $5 role. */
const putEmbedder = `
insert into agent_embedders (user_id, agent_id, embedder, dimensions, role)
values ($1, $2::uuid, $3, $4::int, $5)
on conflict (user_id, agent_id, embedder, dimensions) do update set role = excluded.role, since = now()`;

/** Changes a role of agents' embedders. $1 user, $2 agents, $3 the current role, $4 the new one. Returns the changed agents. */
const changeRole = `
update agent_embedders set role = $4, since = now()
where user_id = $1 and role = $3 and agent_id in (${idsIn("$2")})
returning agent_id as "agentId"`;

/** The agents that are building an embedder's vectors. $1 user, $2 agents, $3 embedder, $4 dimensions. */
const agentsBuilding = `
select agent_id as "agentId" from agent_embedders
where user_id = $1 and agent_id in (${idsIn("$2")})
  and embedder = $3 and dimensions = $4::int and role = 'building'
order by agent_id`;

/** Returns one embedder with the role `dropping`. $1 user. */
const dropped = `
select embedder, dimensions from agent_embedders where user_id = $1 and role = 'dropping' order by embedder, dimensions limit 1`;

/** Removes an embedder whose vectors were deleted. $1 user, $2 embedder, $3 dimensions. */
const forgetDropped = `
delete from agent_embedders where user_id = $1 and embedder = $2 and dimensions = $3::int and role = 'dropping'`;
