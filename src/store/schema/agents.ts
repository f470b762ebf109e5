// Tables: users, agents, who else may converse with them, and by which embedders they are searched.
// Invariant: deleting a user or an agent deletes every row that belongs to it, of every user.
import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { AgentSettings } from "../../memory/records.ts";
import { agentId, createdAt, moment, userId } from "./columns.ts";

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

/** By which embedder what a user has with an agent is searched, which is being built, and which is kept for going back. */
export const agentEmbedders = pgTable(
  "agent_embedders",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    agentId: agentId().references(() => agents.id, { onDelete: "cascade" }),
    embedder: text("embedder").notNull(),
    dimensions: integer("dimensions").notNull(),
    role: text("role", { enum: ["searched", "building", "kept", "dropping"] }).notNull(),
    since: moment("since").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.embedder, table.dimensions] }),
    uniqueIndex("agent_embedders_role_index")
      .on(table.userId, table.agentId, table.role)
      .where(sql`role <> 'dropping'`),
    index("agent_embedders_agent_index").on(table.agentId),
    check("agent_embedders_role_check", sql`role in ('searched', 'building', 'kept', 'dropping')`),
    check("agent_embedders_dimensions_check", sql`dimensions between 1 and 16000`),
  ],
);
