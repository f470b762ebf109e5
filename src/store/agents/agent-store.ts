// Stores agents, and which users may use them.
// Invariant: only the owner changes, deletes or shares an agent; other users get "not found". The user's own agents precede
// those of other users in every list.
import { and, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { describeText, storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { inBatches } from "../../base/lists.ts";
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal, sqlStateOf } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import { agentNameFor, parseAgentName } from "../port/agent-name.ts";
import type { AgentDetails, AgentRecord } from "../port/records.ts";
import type { AgentChange, AgentQuery, AgentStore, NewAgent } from "../port/agent-store.ts";
import { agents, grants } from "../schema.ts";
import { createAgent, createModules, createOwnGrant, createUser } from "../sql/create-agent.ts";
import { idsIn, isUuid } from "../stored-values.ts";
import { agentNotFound, requireGrant, requireOwnAgent } from "./agent-access.ts";
import { agentColumns, agentOfRow, type AgentRow } from "./agent-rows.ts";
import { createSharing } from "./agent-sharing.ts";
import { moduleRow } from "./module-rows.ts";
import { agentsAtOnce, attachAll } from "./shared-module-store.ts";

const nameLimit = 200;

export function createAgentStore(context: UserContext): AgentStore {
  const { userId, transaction, repeatable, statement } = context;
  return {
    create: (agent) => transaction((tx) => create(tx, userId, agent)).catch(refusedId(agent.id)),
    find: (nameOrId) => repeatable((tx) => find(tx, userId, nameOrId)),
    list: (query = { order: "oldest", limit: null }) => list(context, query),
    names: async () =>
      (await statement<Pick<AgentRecord, "ownerId" | "name">>(namesOfAgents, [userId])).map((named) =>
        agentNameFor(userId, named),
      ),
    count: async () => (await statement<{ readonly count: number }>(countAgents, [userId]))[0]!.count,
    tags: async () => (await statement<{ readonly tag: string }>(tagsOfAgents, [userId])).map(({ tag }) => tag),
    update: (agentId, changeOf) => transaction((tx) => update(tx, userId, { agentId, changeOf })),
    delete: (agentId) => transaction((tx) => remove(tx, userId, agentId)),
    ...createSharing(context),
  };
}

const noDetails: AgentDetails = { description: null, tags: [], metadata: {}, extensions: {} };

async function create(tx: Transaction, userId: string, agent: NewAgent): Promise<AgentRecord> {
  const { id, model, protocol, memoryType, systemPrompt, settings } = agent;
  const name = requireName(agent.name);
  const { description, tags, metadata, extensions } = { ...noDetails, ...agent };
  const details = [description, tags, metadata, extensions];
  const parameters = [userId, id, name, model, protocol, memoryType, systemPrompt, settings, ...details];
  // All statements are sent together, in one round trip. If the name is taken, the statements after the creation fail.
  const user = tx.run(createUser, [userId]);
  const creation = tx.run<AgentRow>(createAgent, parameters);
  const grant = tx.run(createOwnGrant, [userId, id]);
  const modules = tx.run(createModules, [userId, id, agent.modules.map(moduleRow)]);
  await Promise.allSettled([user, creation, grant, modules]);
  const [created] = await creation;
  if (created === undefined) throw new RequestError("agent_exists", nameTaken(name));
  if (agent.attached !== undefined) await attachAll(tx, userId, { agentId: id, ids: agent.attached });
  return agentOfRow(created, userId);
}

async function find(tx: Transaction, userId: string, nameOrId: string): Promise<AgentRecord | null> {
  const { owner, name } = parseAgentName(nameOrId);
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

async function list({ userId, statement }: UserContext, query: AgentQuery): Promise<readonly AgentRecord[]> {
  const { name, tags = [], matchAllTags = false, text, ...range } = query;
  const { owner, name: ownName } = parseAgentName(name ?? "");
  const named = [owner ?? userId, name === undefined ? null : ownName];
  const rows = await rowsInRange<{ readonly id: string }>(statement, {
    range,
    // In either order, `listAgents` puts the user's own agents first.
    statement: (direction) => listAgents(query.order, direction),
    parameters: [userId, ...named, tags.length === 0 ? null : tags, matchAllTags, text],
  });
  const ids = rows.map(({ id }) => id);
  const found = new Map<string, AgentRecord>();
  for (const batch of inBatches(ids, agentsAtOnce)) {
    const read = await statement<AgentRow>(agentsOfIds, [userId, batch]);
    for (const row of read) found.set(row.id, agentOfRow(row, userId));
  }
  // Leaves out an agent that was deleted after its id was read.
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Selects the agents that this user may use, and for which the condition is true. */
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
    await createOwnRows(agents, userId).delete(tx, agentId);
    return;
  }
  await tx.tables.delete(grants).where(and(eq(grants.userId, userId), eq(grants.agentId, agentId)));
}

async function update(
  tx: Transaction,
  userId: string,
  { agentId, changeOf }: { readonly agentId: string; readonly changeOf: (current: AgentRecord) => AgentChange },
): Promise<AgentRecord> {
  await requireOwnAgent(tx, userId, agentId);
  const own = createOwnRows(agents, userId).is(agentId);
  // Locks the agent's row, so that concurrent changes of the settings run one after the other.
  const [row] = await tx.tables.select().from(agents).where(own).for("no key update");
  if (row === undefined) throw agentNotFound();
  const current = agentOfRow(row, userId);
  const change = changeOf(current);
  if (Object.keys(change).length === 0) return current;
  const name = change.name === undefined ? undefined : requireName(change.name);
  const set = { ...change, name, ...mergedExtensions(change) };
  const changed = tx.tables.update(agents).set(set).where(own).returning();
  const [updated] = await changed.catch(duplicateRefusal("agent_exists", nameTaken(name ?? current.name)));
  return agentOfRow(updated!, userId);
}

/** Extensions are merged by the statement, because another front end may change its own extensions at the same time. */
function mergedExtensions({ extensions }: Partial<AgentDetails>) {
  if (extensions === undefined) return {};
  const merged = sql`${agents.extensions}::jsonb || ${storableJson(extensions)}::text::jsonb`;
  return {
    extensions: sql`(select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(${merged}) e where e.value <> 'null')::text`,
  };
}

function requireName(name: string): string {
  const stored = storableText(name);
  if (stored.trim() === "" || stored.length > nameLimit || stored.includes("/")) {
    throw new RequestError(
      "input_invalid",
      `Expected an agent's name of 1 to ${nameLimit} characters without a slash, got ${stored.includes("/") ? "a name with a slash" : describeText(stored)}.`,
    );
  }
  return stored;
}

/**
 * Returns a function that throws RequestError `agent_exists` if the id is taken. SQLSTATE 23505: this user has an agent
 * with the id. 42501: an agent with the id was shared with this user or offered to this user.
 */
function refusedId(id: string) {
  return (error: unknown): never => {
    if (!["23505", "42501"].includes(sqlStateOf(error) ?? "")) throw error;
    throw new RequestError(
      "agent_exists",
      `An agent with the id "${id}" exists already. Omit the id, or choose another.`,
      {
        cause: error,
      },
    );
  };
}

const nameTaken = (name: string): string => `An agent named "${name}" exists already. Choose another name.`;

const usable = (rank: string) => `
with usable as (
  select a.user_id, a.id, a.created_at, ${rank} as rank
  from grants g
  join agents a on a.user_id = g.owner_id and a.id = g.agent_id
  where g.user_id = $1 and g.is_usable
)`;

/**
 * Statement for `rowsInRange` that lists the ids of agents. Further parameters, where null means no filter: $5 owner, $6
 * name, $7 tags, $8 whether an agent must have all of these tags, $9 a text that the name or the description contains.
 */
function listAgents(order: "oldest" | "newest", direction: Direction): string {
  const by = ["u.rank", "u.created_at", "u.id"];
  const of = (id: string) => `(select c.rank, c.created_at, c.id from usable c where c.id = ${id})`;
  return `${usable(order === "oldest" ? "a.user_id <> $1" : "a.user_id = $1")}
select u.id from usable u
join agents a on a.user_id = u.user_id and a.id = u.id
where ($6::text is null or (a.user_id = $5 and a.name = $6))
  and ($7::jsonb is null or case when $8::boolean then a.tags::jsonb @> $7::jsonb
    else exists (select from jsonb_array_elements_text($7::jsonb) w where a.tags::jsonb ? w) end)
  and ($9::text is null or position(lower($9) in lower(a.name || ' ' || coalesce(a.description, ''))) > 0)
  ${inRange({ by, of, direction })}`;
}

/** $1 user, $2 ids. */
const agentsOfIds = `
select ${agentColumns} from grants g
join agents a on a.user_id = g.owner_id and a.id = g.agent_id
where g.user_id = $1 and g.is_usable and g.agent_id in (${idsIn("$2")})`;

/** $1 user. */
const namesOfAgents = `${usable("a.user_id = $1")}
select a.user_id as "ownerId", a.name from usable u
join agents a on a.user_id = u.user_id and a.id = u.id
order by u.rank desc, u.created_at desc, u.id desc limit 100`;

/** $1 user. */
const countAgents = `${usable("true")}
select count(*)::int as count from usable`;

/** $1 user. */
const tagsOfAgents = `${usable("true")}
select distinct t.tag from usable u
join agents a on a.user_id = u.user_id and a.id = u.id, jsonb_array_elements_text(a.tags::jsonb) t (tag) order by 1`;
