// Agents and who may use them.
// Invariant: only the owner changes, deletes or shares an agent; to anyone else it is not found.
import { and, desc, eq, or, sql } from "drizzle-orm";
import { storableText } from "../base/code-points.ts";
import { RequestError } from "../errors.ts";
import type { AgentRecord } from "../memory/records.ts";
import type { AgentStore, NewAgent } from "../memory/store.ts";
import { agentNotFound, requireOwnAgent, usableBy } from "./agent-access.ts";
import { agentOfRow } from "./agent-rows.ts";
import { ensureUser } from "./known-user.ts";
import { moduleRow } from "./module-rows.ts";
import { agents, modules } from "./schema.ts";
import { storableJson } from "./storable-json.ts";
import type { Transaction } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";
import { requireUserId } from "./user-id.ts";
import { isUuid } from "./uuid.ts";

type AgentChange = Parameters<AgentStore["update"]>[1];

const nameLimit = 200;

export function createAgentStore({ userId, transaction }: UserContext): AgentStore {
  return {
    create: (agent) => transaction((tx) => create(tx, userId, agent)),
    find: (nameOrId) => transaction((tx) => find(tx, userId, nameOrId)),
    list: () => transaction((tx) => list(tx, userId)),
    update: (agentId, change) => transaction((tx) => update(tx, userId, { agentId, change })),
    delete: (agentId) =>
      transaction(async (tx) => {
        await requireOwnAgent(tx, userId, agentId);
        await tx.tables.delete(agents).where(and(eq(agents.userId, userId), eq(agents.id, agentId)));
      }),
    share: (agentId, otherId) =>
      transaction(async (tx) => {
        await requireOwnAgent(tx, userId, agentId);
        // A function of the database's: nothing else writes a row for another user, whom this may be the first to name.
        await tx.run("select share_agent($1::uuid, $2)", [agentId, requireUserId(otherId)]);
      }),
  };
}

async function create(tx: Transaction, userId: string, agent: NewAgent): Promise<AgentRecord> {
  const { modules: itsModules, ...fields } = agent;
  await ensureUser(tx, userId);
  const row = {
    ...fields,
    userId,
    name: requireName(agent.name),
    systemPrompt: storableText(agent.systemPrompt),
    settings: JSON.parse(storableJson(agent.settings)) as NewAgent["settings"],
  };
  const [created] = await tx.tables
    .insert(agents)
    .values(row)
    .onConflictDoNothing({ target: [agents.userId, agents.name] })
    .returning();
  if (created === undefined) throw nameTaken(row.name);
  if (itsModules.length > 0) {
    await tx.tables
      .insert(modules)
      .values(itsModules.map((module, position) => moduleRow(module, { userId, agentId: agent.id, position })));
  }
  return agentOfRow(created);
}

async function find(tx: Transaction, userId: string, nameOrId: string): Promise<AgentRecord | null> {
  const byName = eq(agents.name, storableText(nameOrId));
  const named = isUuid(nameOrId) ? or(eq(agents.id, nameOrId), byName) : byName;
  const [found] = await tx.tables
    .select()
    .from(agents)
    .where(and(named, usableBy(tx, userId)))
    .orderBy(desc(sql`${agents.userId} = ${userId}`), agents.createdAt, agents.id)
    .limit(1);
  return found === undefined ? null : agentOfRow(found);
}

async function list(tx: Transaction, userId: string): Promise<readonly AgentRecord[]> {
  const rows = await tx.tables
    .select()
    .from(agents)
    .where(usableBy(tx, userId))
    .orderBy(desc(sql`${agents.userId} = ${userId}`), agents.createdAt, agents.id);
  return rows.map(agentOfRow);
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
  if (stored.trim() === "" || stored.length > nameLimit) {
    throw new RequestError(
      "input_invalid",
      `An agent's name has 1 to ${nameLimit} characters, this one has ${stored.length}.`,
    );
  }
  return stored;
}

function nameTaken(name: string): RequestError {
  return new RequestError("agent_exists", `An agent named "${name}" exists already. Choose another name.`);
}
