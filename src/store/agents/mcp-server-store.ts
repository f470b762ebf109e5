// Stores the MCP servers that a user has added, and the tools that they offer.
// Invariant: a unique key keeps names unique per user, even under concurrency. A server's tools change in one transaction.
import { and, eq, inArray } from "drizzle-orm";
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows } from "../own-rows.ts";
import type { McpServerStore, OfferedTool, ToolChanges } from "../port/mcp-server-store.ts";
import { agentTools, mcpServers, storedTools } from "../schema.ts";

export function createMcpServerStore({ userId, transaction, repeatable }: UserContext): McpServerStore {
  const rows = createOwnRows(mcpServers, userId);
  return {
    create: (server) => transaction((tx) => rows.insert(tx, server)).catch(nameTaken),
    find: (id) => repeatable((tx) => rows.find(tx, id)),
    list: () => repeatable((tx) => rows.list(tx)),
    update: (id, change) => transaction((tx) => rows.update(tx, id, change)).catch(nameTaken),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
    putTools: (id, offered, at) =>
      transaction(async (tx) => {
        // Locks the server's row, so that concurrent refreshes of its tools run one after the other.
        const locked = await tx.tables.select().from(mcpServers).where(rows.is(id)).for("update");
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
  const known = new Map(rows.map((row) => [row.definition!.toolName, row]));
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
      continue;
    }
    const isTaken = row.name !== tool.name && (await hasTool(tx, place, tool.name));
    const name = isTaken ? row.name : tool.name;
    if (isTaken) changes.refused.push(tool.served.toolName);
    if (row.definition!.hash !== tool.served.hash || row.name !== name) {
      await updateTool(tx, place, { ...tool, id: row.id, name });
      changes.updated.push(tool.served.toolName);
    }
  }
  return { ...changes, deleted: gone.map(([toolName]) => toolName) };
}

async function hasTool(tx: Transaction, { userId }: ToolPlace, name: string): Promise<boolean> {
  const is = and(eq(storedTools.userId, userId), eq(storedTools.name, name));
  return (await tx.tables.select({ id: storedTools.id }).from(storedTools).where(is)).length > 0;
}

/** Returns false if the user has another tool of this name. */
async function insertTool(
  tx: Transaction,
  { userId, serverId, at }: ToolPlace,
  { served, ...tool }: OfferedTool,
): Promise<boolean> {
  const times = { createdAt: at, updatedAt: at };
  const settings = { kind: "mcp" as const, requiresApproval: true, tags: [], metadata: {} };
  const row = { ...tool, definition: served, userId, serverId, ...settings, ...times };
  const target = [storedTools.userId, storedTools.name];
  return (await tx.tables.insert(storedTools).values(row).onConflictDoNothing({ target }).returning()).length > 0;
}

async function updateTool(
  tx: Transaction,
  { userId, at }: ToolPlace,
  { id, served, ...tool }: OfferedTool,
): Promise<void> {
  await tx.tables
    .update(storedTools)
    .set({ ...tool, definition: served, requiresApproval: true, updatedAt: at })
    .where(and(eq(storedTools.userId, userId), eq(storedTools.id, id)));
  await tx.tables
    .update(agentTools)
    .set({ requiresApproval: null })
    .where(and(eq(agentTools.userId, userId), eq(agentTools.toolId, id)));
}

const nameTaken = duplicateRefusal(
  "mcp_server_exists",
  "The user already has an MCP server with this name or id. Choose another name and id, or change that server.",
);

const toolNameTaken = duplicateRefusal(
  "tool_exists",
  "A tool of the MCP server needs a name that another stored tool of the user has. Rename or delete that stored tool.",
);
