// Stores agents and who may use them.
// Invariant: only the owner changes, deletes or shares an agent; other users get "not found".
import { and, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";
import { parseAgentName } from "../../memory/agent-name.ts";
import type { AgentRecord } from "../../memory/records.ts";
import type { AgentStore, NewAgent } from "../../memory/store.ts";
import { agentNotFound, requireGrant, requireOwnAgent } from "./agent-access.ts";
import { type AgentColumns, agentOfColumns, agentOfRow } from "./agent-rows.ts";
import { createSharing } from "./agent-sharing.ts";
import { moduleRow } from "./module-rows.ts";
import { agents, grants } from "../schema.ts";
import { createAgent, createModules, createOwnGrant, createUser } from "../sql/create-agent.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

type AgentChange = Parameters<AgentStore["update"]>[1];

const nameLimit = 200;

export function createAgentStore(context: UserContext): AgentStore {
  const { userId, transaction, repeatable } = context;
  return {
    create: (agent) => transaction((tx) => create(tx, userId, agent)),
    find: (nameOrId) => repeatable((tx) => find(tx, userId, nameOrId)),
    list: () => repeatable((tx) => list(tx, userId)),
    update: (agentId, change) => transaction((tx) => update(tx, userId, { agentId, change })),
    delete: (agentId) => transaction((tx) => remove(tx, userId, agentId)),
    ...createSharing(context),
  };
}

async function create(tx: Transaction, userId: string, agent: NewAgent): Promise<AgentRecord> {
  const { id, model, protocol, memoryType } = agent;
  const name = requireName(agent.name);
  const settings = storableJson(agent.settings);
  const parameters = [userId, id, name, model, protocol, memoryType, storableText(agent.systemPrompt), settings];
  const rows = agent.modules.map((module, position) => moduleRow(module, { userId, agentId: id, position }));
  // Sent together, in one round trip. If the name is taken, the statements after that one fail.
  const user = tx.run(createUser, [userId]);
  const creation = tx.run<AgentColumns>(createAgent, parameters);
  const grant = tx.run(createOwnGrant, [userId, id]);
  await Promise.allSettled([user, creation, grant, tx.run(createModules, [storableJson(rows)])]);
  const [created] = await creation;
  if (created === undefined) throw nameTaken(name);
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

async function list(tx: Transaction, userId: string): Promise<readonly AgentRecord[]> {
  const rows = await usableBy(tx, userId, undefined).orderBy(
    desc(eq(agents.userId, userId)),
    agents.createdAt,
    agents.id,
  );
  return rows.map((row) => agentOfRow(row.agents, userId));
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
  const values = { ...change, ...(change.name === undefined ? {} : { name: requireName(change.name) }) };
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

function nameTaken(name: string): RequestError {
  return new RequestError("agent_exists", `An agent named "${name}" exists already. Choose another name.`);
}
