// Tables: users, agents and who else may converse with them.
// Invariant: deleting a user or an agent deletes every row that belongs to it, of every user.
import { foreignKey, index, jsonb, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import type { AgentSettings } from "../../memory/records.ts";
import { agentId, createdAt, userId } from "./columns.ts";

export const users = pgTable("users", {
  userId: text("user_id").primaryKey(),
  createdAt: createdAt(),
});

/** `user_id` is the owner. */
export const agents = pgTable(
  "agents",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    model: text("model").notNull(),
    protocol: text("protocol", { enum: ["native", "heartbeat"] }).notNull(),
    memoryType: text("memory_type").notNull(),
    systemPrompt: text("system_prompt").notNull(),
    settings: jsonb("settings").$type<AgentSettings>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique("agents_name_key").on(table.userId, table.name)],
);

/** `user_id` is the user to whom the owner has granted the agent's use. */
export const grants = pgTable(
  "grants",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    agentId: agentId(),
    ownerId: text("owner_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId] }),
    index("grants_agent_index").on(table.agentId),
    foreignKey({ name: "grants_agent_fkey", columns: [table.agentId], foreignColumns: [agents.id] }).onDelete(
      "cascade",
    ),
  ],
);
