// Stores the MCP servers that a user has added, and the tools that they offer.
// Invariant: names are unique per user, also for concurrent calls: the unique key decides. Tools change in one transaction.
import { and, asc, eq, inArray } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type {
  McpServerStore,
  OfferedTool,
  StoredMcpServer,
  StoredMcpServerChange,
  ToolChanges,
} from "../port/mcp-server-store.ts";
import type { UserContext } from "../connection/database.ts";
import { isDuplicateKey } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { agentTools, mcpServers, storedTools } from "../schema.ts";
import { isUuid } from "../uuid.ts";
import { ensureUser } from "./known-user.ts";
import type { DefinitionColumn } from "./stored-tool-rows.ts";

export function createMcpServerStore({ userId, transaction, repeatable }: UserContext): McpServerStore {
  const own = (id: string) => and(eq(mcpServers.userId, userId), eq(mcpServers.id, id));
  const find = async (tx: Transaction, id: string): Promise<StoredMcpServer | null> => {
    if (!isUuid(id)) return null;
    const [row] = await tx.tables.select().from(mcpServers).where(own(id));
    return row === undefined ? null : serverOf(row);
  };
  return {
    create: ({ id, createdAt, ...fields }) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        const columns = columnsOf(fields) as Required<ReturnType<typeof columnsOf>>;
        await tx.tables.insert(mcpServers).values({ userId, id, createdAt, ...columns });
      }).catch(nameTaken),
    find: (id) => repeatable((tx) => find(tx, id)),
    list: () =>
      repeatable(async (tx) => {
        const all = tx.tables.select().from(mcpServers).where(eq(mcpServers.userId, userId));
        return (await all.orderBy(asc(mcpServers.createdAt), asc(mcpServers.id))).map(serverOf);
      }),
    update: (id, change) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return null;
        const columns = columnsOf(change);
        if (Object.keys(columns).length > 0) await tx.tables.update(mcpServers).set(columns).where(own(id));
        return find(tx, id);
      }).catch(nameTaken),
    delete: (id) =>
      transaction(
        async (tx) => isUuid(id) && (await tx.tables.delete(mcpServers).where(own(id)).returning()).length > 0,
      ),
    putTools: (id, offered, at) =>
      transaction(async (tx) => {
        // Locked, so that two refreshes follow each other.
        const locked = isUuid(id) ? await tx.tables.select().from(mcpServers).where(own(id)).for("update") : [];
        return locked.length === 0 ? null : putTools(tx, { userId, serverId: id, at }, offered);
      }).catch(toolNameTaken),
  };
}

interface ToolPlace {
  readonly userId: string;
  readonly serverId: string;
  readonly at: Date;
}

async function putTools(tx: Transaction, place: ToolPlace, offered: readonly OfferedTool[]): Promise<ToolChanges> {
  const { userId, serverId } = place;
  const rows = await tx.tables
    .select()
    .from(storedTools)
    .where(and(eq(storedTools.userId, userId), eq(storedTools.serverId, serverId)));
  const known = new Map(rows.map((row) => [definitionOf(row.definition!).toolName, row]));
  const gone = [...known].filter(([toolName]) => offered.every(({ served }) => served.toolName !== toolName));
  if (gone.length > 0) {
    const ids = gone.map(([, { id }]) => id);
    await tx.tables.delete(storedTools).where(and(eq(storedTools.userId, userId), inArray(storedTools.id, ids)));
  }
  const changes = { added: [] as string[], updated: [] as string[], refused: [] as string[] };
  for (const tool of offered) {
    const row = known.get(tool.served.toolName);
    if (row === undefined) {
      changes[(await insertTool(tx, place, tool)) ? "added" : "refused"].push(tool.served.toolName);
    } else if (definitionOf(row.definition!).hash !== tool.served.hash || row.name !== tool.name) {
      await updateTool(tx, place, { ...tool, id: row.id });
      changes.updated.push(tool.served.toolName);
    }
  }
  return { ...changes, deleted: gone.map(([toolName]) => toolName) };
}

/** Returns false if the user has another tool of this name. */
async function insertTool(tx: Transaction, { userId, serverId, at }: ToolPlace, tool: OfferedTool): Promise<boolean> {
  const row = {
    ...toolColumns(tool),
    userId,
    id: tool.id,
    kind: "mcp" as const,
    serverId,
    requiresApproval: true,
    tags: "[]",
    metadata: "{}",
    createdAt: at,
    updatedAt: at,
  };
  const target = [storedTools.userId, storedTools.name];
  return (await tx.tables.insert(storedTools).values(row).onConflictDoNothing({ target }).returning()).length > 0;
}

async function updateTool(tx: Transaction, { userId, at }: ToolPlace, tool: OfferedTool): Promise<void> {
  await tx.tables
    .update(storedTools)
    .set({ ...toolColumns(tool), requiresApproval: true, updatedAt: at })
    .where(and(eq(storedTools.userId, userId), eq(storedTools.id, tool.id)));
  await tx.tables
    .update(agentTools)
    .set({ requiresApproval: null })
    .where(and(eq(agentTools.userId, userId), eq(agentTools.toolId, tool.id)));
}

function toolColumns({ name, description, parameters, served }: OfferedTool) {
  return {
    name,
    description: storableText(description),
    parameters: storableJson(parameters),
    definition: storableJson(served),
  };
}

function definitionOf(column: string): DefinitionColumn {
  return JSON.parse(column) as DefinitionColumn;
}

function serverOf({ userId: _own, place, metadata, ...row }: typeof mcpServers.$inferSelect): StoredMcpServer {
  return {
    ...row,
    place: JSON.parse(place) as StoredMcpServer["place"],
    metadata: JSON.parse(metadata) as StoredMcpServer["metadata"],
  };
}

function columnsOf({ name, place, metadata, updatedAt }: StoredMcpServerChange) {
  return {
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(place === undefined ? {} : { place: storableJson(place) }),
    ...(metadata === undefined ? {} : { metadata: storableJson(metadata) }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

function nameTaken(error: unknown): never {
  if (!isDuplicateKey(error)) throw error;
  const message = "Expected a new name and id for an MCP server, got one that the user has already.";
  throw new RequestError("mcp_server_exists", message, { cause: error });
}

function toolNameTaken(error: unknown): never {
  if (!isDuplicateKey(error)) throw error;
  const message = "A tool of the MCP server would get a name that another stored tool of the user has.";
  throw new RequestError("tool_exists", message, { cause: error });
}
