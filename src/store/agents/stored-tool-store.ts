// Stores tools that users have added as data, and the agents that they are attached to.
// Invariant: a unique key keeps names unique per user, even under concurrency.
import { and, eq } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows, ensureUser } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import type { AttachedTool, StoredTool, StoredToolStore, ToolOfAgent } from "../port/stored-tool-store.ts";
import { agentTools, storedTools } from "../schema.ts";
import { idsIn } from "../stored-values.ts";
import { requireAgent } from "./agent-access.ts";
import { storedToolColumns, toolsOfAgent } from "./stored-tool-rows.ts";

export function createStoredToolStore(context: UserContext): StoredToolStore {
  const { userId, transaction, repeatable, statement } = context;
  const rows = createOwnRows(storedTools, userId);
  return {
    create: (tool) => transaction((tx) => rows.insert(tx, tool)).catch(throwNamed(tool.name)),
    upsert: (tool, change) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        const target = [storedTools.userId, storedTools.name];
        const set = { ...change, updatedAt: tool.updatedAt };
        await tx.tables
          .insert(storedTools)
          .values({ ...tool, userId })
          .onConflictDoUpdate({ target, set });
        return (await find(tx, userId, tool.name))!;
      }).catch(throwNamed(tool.name)),
    find: (nameOrId) => repeatable((tx) => find(tx, userId, nameOrId)),
    list: ({ name, tags = [], text, serverId, agentId, ...range }) =>
      rowsInRange<StoredTool>(statement, {
        range,
        statement: listTools,
        parameters: [userId, name, tags.length === 0 ? null : tags, text, serverId, agentId],
      }),
    update: (id, change) =>
      transaction(async (tx) => ((await rows.update(tx, id, change)) === null ? null : find(tx, userId, id))).catch(
        throwNamed(change.name ?? id),
      ),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
    ...attachments(context),
  };
}

type Attachments = Pick<StoredToolStore, "attach" | "detach" | "setApproval" | "ofAgent" | "ofAgents">;

function attachments({ userId, transaction, statement }: UserContext): Attachments {
  const link = (agentId: string, toolId: string) =>
    and(eq(agentTools.userId, userId), eq(agentTools.agentId, agentId), eq(agentTools.toolId, toolId));
  return {
    attach: (agentId, toolId) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        if ((await createOwnRows(storedTools, userId).find(tx, toolId)) === null) throw toolNotFound(toolId);
        const row = { userId, agentId, toolId };
        return (await tx.tables.insert(agentTools).values(row).onConflictDoNothing().returning()).length > 0;
      }),
    detach: (agentId, toolId) =>
      transaction(
        async (tx) => (await tx.tables.delete(agentTools).where(link(agentId, toolId)).returning()).length > 0,
      ),
    setApproval: (agentId, toolId, requiresApproval) =>
      transaction(async (tx) => {
        const changed = tx.tables.update(agentTools).set({ requiresApproval }).where(link(agentId, toolId));
        return (await changed.returning()).length > 0;
      }),
    ofAgent: (agentId) => statement<AttachedTool>(toolsOfAgent("$1", "$2::uuid"), [userId, agentId]),
    ofAgents: (agentIds) =>
      statement<ToolOfAgent>(toolsOfAgent("$1", idsIn("$2"), `, l.agent_id as "agentId"`), [userId, agentIds]),
  };
}

async function find(tx: Transaction, userId: string, nameOrId: string): Promise<StoredTool | null> {
  const [row] = await tx.run<StoredTool>(findTool, [userId, nameOrId, nameOrId]);
  return row ?? null;
}

function throwNamed(name: string) {
  return duplicateRefusal(
    "tool_exists",
    `The user already has a stored tool with the name "${name}" or the same id. Choose another name and id, or change that tool: \`runtime.tools.upsert\`.`,
  );
}

function toolNotFound(id: string): RequestError {
  return new RequestError(
    "tool_not_found",
    `There is no stored tool "${id}" for this user. \`runtime.tools.list()\` lists the stored tools.`,
  );
}

/** $1 user, $2 a name, $3 an id. Returns the tool with the name or, if there is none, the tool with the id. */
const findTool = `
select ${storedToolColumns} from stored_tools t
where t.user_id = $1 and (t.name = $2 or t.id = $3::uuid)
order by t.name = $2 desc limit 1`;

/**
 * Statement for `rowsInRange`. Further parameters, where null means no filter: $5 name, $6 tags, $7 a text that the name
 * or the description contains, $8 the id of an MCP server, $9 the id of an agent.
 */
function listTools(direction: Direction): string {
  const by = ["t.created_at", "t.id"];
  const of = (id: string) => `(select c.created_at, c.id from stored_tools c where c.user_id = $1 and c.id = ${id})`;
  return `
select ${storedToolColumns} from stored_tools t
where t.user_id = $1
  and ($5::text is null or t.name = $5)
  and ($6::jsonb is null or exists (select from jsonb_array_elements_text($6::jsonb) w where t.tags::jsonb ? w))
  and ($7::text is null or position(lower($7) in lower(t.name || ' ' || t.description)) > 0)
  and ($8::uuid is null or t.server_id = $8::uuid)
  and ($9::uuid is null or exists (
    select from agent_tools l where l.user_id = $1 and l.agent_id = $9::uuid and l.tool_id = t.id
  ))
  ${inRange({ by, of, direction })}`;
}
