// The table of the MCP servers that users add; their tools are stored tools.
// Invariant: a name is unique per user.
import { pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import { users } from "./agents.ts";
import { createdAt, moment, userId } from "./columns.ts";

export const mcpServers = pgTable(
  "mcp_servers",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    /** A JSON object: a URL with headers, or a command with its environment. Contains secrets. */
    place: text("place").notNull(),
    /** A JSON object. */
    metadata: text("metadata").notNull(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("mcp_servers_name_key").on(table.userId, table.name),
  ],
);
