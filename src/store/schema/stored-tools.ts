// Tables: the tools that users store, the agents that they are attached to, and the MCP servers that users add, which offer
// stored tools.
// Invariant: a name is unique per user; exactly the tools that the sandbox runs have source code, and exactly the tools that an
// MCP server runs have a server.
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { grantKey, users } from "./agents.ts";
import { agentId, createdAt, type JsonObject, jsonText, moment, ownedBy, userId, uuid } from "./columns.ts";
import { type ServedTool, storedToolFields } from "../port/stored-tool-store.ts";
import type { McpServerPlace } from "../port/mcp-server-store.ts";

export const mcpServers = pgTable(
  "mcp_servers",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    /** A JSON object: a URL with headers, or a command with its environment. Contains secrets. */
    place: jsonText<McpServerPlace>("place").notNull(),
    metadata: jsonText<JsonObject>("metadata").notNull(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("mcp_servers_name_key").on(table.userId, table.name),
  ],
);

export const storedTools = pgTable(
  "stored_tools",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    /** A JSON Schema. Stored as text, because the model sees the order of its fields, which jsonb does not keep. */
    parameters: jsonText<JsonObject>("parameters").notNull(),
    kind: text("kind", { enum: storedToolFields.kind.values }).notNull(),
    source: text("source"),
    serverId: uuid("server_id"),
    /** A JSON object: how the server defines the tool. */
    definition: jsonText<Omit<ServedTool, "serverId">>("definition"),
    /** Maximum code points of a result; null: only the agent's limit. */
    resultLimit: integer("result_limit"),
    requiresApproval: boolean("requires_approval").notNull(),
    tags: jsonText<readonly string[]>("tags").notNull(),
    metadata: jsonText<JsonObject>("metadata").notNull(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("stored_tools_name_key").on(table.userId, table.name),
    check("stored_tools_source_check", sql`(kind = 'python') = (source is not null)`),
    check(
      "stored_tools_server_check",
      sql`(kind = 'mcp') = (server_id is not null) and (kind = 'mcp') = (definition is not null)`,
    ),
    index("stored_tools_server_index").on(table.userId, table.serverId),
    ownedBy("stored_tools_server_fkey", [table.userId, table.serverId], [mcpServers.userId, mcpServers.id]),
  ],
);

export const agentTools = pgTable(
  "agent_tools",
  {
    userId: userId(),
    agentId: agentId(),
    toolId: uuid("tool_id").notNull(),
    /** Whether a call by this agent waits for approval; null: the tool's own setting. */
    requiresApproval: boolean("requires_approval"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.toolId] }),
    grantKey("agent_tools_grant_fkey", table),
    index("agent_tools_tool_index").on(table.userId, table.toolId),
    ownedBy("agent_tools_tool_fkey", [table.userId, table.toolId], [storedTools.userId, storedTools.id]),
  ],
);
