// Stores agents and who may use them.
// Invariant: only the owner changes, deletes or shares an agent; other users get "not found".
import { and, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { parseAgentName } from "../port/agent-name.ts";
import type { AgentDetails, AgentRecord } from "../port/records.ts";
import type { AgentChange, AgentQuery, AgentStore, NewAgent } from "../port/store.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { agentNotFound, requireGrant, requireOwnAgent } from "./agent-access.ts";
import { type AgentColumns, agentOfColumns, agentOfRow } from "./agent-rows.ts";
import { createSharing } from "./agent-sharing.ts";
import { attachAll } from "./shared-module-store.ts";
import { moduleRow } from "./module-rows.ts";
import { agents, grants } from "../schema.ts";
import { createAgent, createModules, createOwnGrant, createUser } from "../sql/create-agent.ts";
import { agentsOfIds, countAgents, listAgents, tagsOfAgents } from "../sql/list-agents.ts";
import { keysetOf } from "../list-range.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid, storableIds } from "../uuid.ts";

const nameLimit = 200;

export function createAgentStore(context: UserContext): AgentStore {
  const { userId, transaction, repeatable } = context;
  return {
    create: (agent) => transaction((tx) => create(tx, userId, agent)).catch(refusedId(agent.id)),
    find: (nameOrId) => repeatable((tx) => find(tx, userId, nameOrId)),
    list: (query = { order: "oldest", limit: null }) => list(context, query),
    count: () => repeatable(async (tx) => (await tx.run<{ readonly count: number }>(countAgents, [userId]))[0]!.count),
    tags: () =>
      repeatable(async (tx) => (await tx.run<{ readonly tag: string }>(tagsOfAgents, [userId])).map(({ tag }) => tag)),
    update: (agentId, change) => transaction((tx) => update(tx, userId, { agentId, change })),
    delete: (agentId) => transaction((tx) => remove(tx, userId, agentId)),
    ...createSharing(context),
  };
}

async function create(tx: Transaction, userId: string, agent: NewAgent): Promise<AgentRecord> {
  const { id, model, protocol, memoryType } = agent;
  const name = requireName(agent.name);
  const settings = storableJson(agent.settings);
  const { description, tags, metadata, extensions } = detailColumns({ ...noDetails, ...agent });
  const details = [description ?? null, tags!, metadata!, extensions!];
  const prompt = storableText(agent.systemPrompt);
  const parameters = [userId, id, name, model, protocol, memoryType, prompt, settings, ...details];
  const rows = agent.modules.map(moduleRow);
  // Sent together, in one round trip. If the name is taken, the statements after that one fail.
  const user = tx.run(createUser, [userId]);
  const creation = tx.run<AgentColumns>(createAgent, parameters);
  const grant = tx.run(createOwnGrant, [userId, id]);
  await Promise.allSettled([user, creation, grant, tx.run(createModules, [userId, id, storableJson(rows)])]);
  const [created] = await creation;
  if (created === undefined) throw nameTaken(name);
  if (agent.attached !== undefined) await attachAll(tx, userId, { agentId: id, ids: agent.attached });
  return agentOfColumns(created, userId);
}

async function find(tx: Transaction, userId: string, nameOrId: string): Promise<AgentRecord | null> {
  const { owner, name } = parseAgentName(storableText(nameOrId));
  const named = and(eq(agents.userId, owner ?? userId), eq(agents.name, name));
  const owners = tx.tables
    .select({ ownerId: grants.ownerId })
    .from(grants)
    .where(and(eq(grants.userId, userId), eq(grants.agentId, nameOrId)));
  const identified = and(eq(agents.id, nameOrId), eq(agents.userId, sql`(${owners})`));
  const [found] = await usableBy(tx, userId, isUuid(nameOrId) ? or(identified, named) : named)
    .orderBy(desc(eq(agents.userId, userId)))
    .limit(1);
  return found === undefined ? null : agentOfRow(found.agents, userId);
}

/** Agents that one statement reads whole, with their prompts: others of the one connection of the embedded engine wait for it. */
const agentsAtOnce = 50;

async function list({ userId, statement }: UserContext, query: AgentQuery): Promise<readonly AgentRecord[]> {
  const { name, tags = [], matchAllTags = false, text, limit } = query;
  const { newerThan, olderThan, direction, inOrder } = keysetOf(query);
  const { owner, name: ownName } = parseAgentName(storableText(name ?? ""));
  // The rank of the user's own agents makes them the first in both orders.
  const rows = await statement<{ readonly id: string }>(listAgents(query.order, direction), [
    userId,
    owner ?? userId,
    name === undefined ? null : ownName,
    tags.length === 0 ? null : storableJson(tags),
    matchAllTags,
    text === undefined ? null : storableText(text),
    newerThan,
    olderThan,
    limit,
  ]);
  const ids = inOrder(rows.map(({ id }) => id));
  const found = new Map<string, AgentRecord>();
  for (let at = 0; at < ids.length; at += agentsAtOnce) {
    const part = storableIds(ids.slice(at, at + agentsAtOnce));
    for (const row of await statement<AgentColumns>(agentsOfIds, [userId, part]))
      found.set(row.id, agentOfColumns(row, userId));
  }
  // One that was deleted meanwhile is left out.
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Selects the agents that this user may use, and for which the condition holds. */
function usableBy(tx: Transaction, userId: string, condition: SQL | undefined) {
  return tx.tables
    .select({ agents })
    .from(grants)
    .innerJoin(agents, and(eq(agents.userId, grants.ownerId), eq(agents.id, grants.agentId)))
    .where(and(eq(grants.userId, userId), grants.isUsable, condition));
}

async function remove(tx: Transaction, userId: string, agentId: string): Promise<void> {
  const grant = await requireGrant(tx, userId, agentId);
  if (grant.is_usable) {
    if (grant.owner_id !== userId) throw agentNotFound();
    await tx.tables.delete(agents).where(and(eq(agents.userId, userId), eq(agents.id, agentId)));
    return;
  }
  await tx.tables.delete(grants).where(and(eq(grants.userId, userId), eq(grants.agentId, agentId)));
}

async function update(
  tx: Transaction,
  userId: string,
  { agentId, change }: { readonly agentId: string; readonly change: AgentChange },
): Promise<void> {
  await requireOwnAgent(tx, userId, agentId);
  if (Object.keys(change).length === 0) return;
  const { name, model, systemPrompt, settings } = change;
  const values = {
    ...defined({ model, systemPrompt, settings, name: name === undefined ? name : requireName(name) }),
    ...detailColumns(change),
    ...mergedExtensions(change),
  };
  if (values.name !== undefined) {
    const [other] = await tx.tables
      .select({ id: agents.id })
      .from(agents)
      .where(and(eq(agents.userId, userId), eq(agents.name, values.name), sql`${agents.id} <> ${agentId}`));
    if (other !== undefined) throw nameTaken(values.name);
  }
  const updated = await tx.tables
    .update(agents)
    .set(values)
    .where(and(eq(agents.userId, userId), eq(agents.id, agentId)))
    .returning({ id: agents.id });
  if (updated.length === 0) throw agentNotFound();
}

const noDetails: AgentDetails = { description: null, tags: [], metadata: {}, extensions: {} };

/** Returns the values of columns for what is given. */
function detailColumns({ description, tags, metadata, extensions }: Partial<AgentDetails>) {
  return defined({
    description: typeof description === "string" ? storableText(description) : description,
    tags: tags && storableJson(tags),
    metadata: metadata && storableJson(metadata),
    extensions: extensions && storableJson(extensions),
  });
}

/** In the statement, because another front end may change its own at the same time. */
function mergedExtensions({ extensions }: Partial<AgentDetails>) {
  if (extensions === undefined) return {};
  const merged = sql`${agents.extensions}::jsonb || ${storableJson(extensions)}::text::jsonb`;
  return {
    extensions: sql`(select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(${merged}) e where e.value <> 'null')::text`,
  };
}

function defined<Values extends object>(values: Values): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as typeof values & {
    [Key in keyof Values]?: Exclude<Values[Key], undefined>;
  };
}

function requireName(name: string): string {
  const stored = storableText(name);
  if (stored.trim() === "" || stored.length > nameLimit || stored.includes("/")) {
    throw new RequestError(
      "input_invalid",
      `Expected an agent's name of 1 to ${nameLimit} characters without a slash, got one of ${stored.length} characters.`,
    );
  }
  return stored;
}

/** A key refuses an id that the user has, and a policy one of another user's agent that this user knows. */
function refusedId(id: string) {
  return (error: unknown): never => {
    if (!["23505", "42501"].includes(sqlStateOf(error) ?? "")) throw error;
    throw new RequestError(
      "agent_exists",
      `The user has an agent of the id "${id}" already. Omit the id, or choose another.`,
      {
        cause: error,
      },
    );
  };
}

function nameTaken(name: string): RequestError {
  return new RequestError("agent_exists", `An agent named "${name}" exists already. Choose another name.`);
}
