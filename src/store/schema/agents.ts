// Tables: users, agents, offers, grants, and the embedders of agents.
// Invariant: every row of a user's data with an agent references that user's grant. Deleting a user, or a grant,
// deletes these rows. Deleting an agent deletes its owner's grant and ends those of other users, who keep their data.
import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { AgentSettings } from "../port/records.ts";
import {
  agentId,
  createdAt,
  type JsonObject,
  jsonText,
  moment,
  momentOrNow,
  ownedBy,
  userId,
  uuid,
} from "./columns.ts";

export const users = pgTable("users", {
  userId: text("user_id").primaryKey(),
  createdAt: createdAt(),
  /** When a process last polled for due schedules of the user. */
  schedulesPolledAt: moment("schedules_polled_at"),
});

/**
 * The agents of users; `user_id` is the owner. An agent is identified by its owner and its id: agents of different users may
 * have the same id.
 */
export const agents = pgTable(
  "agents",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    model: text("model").notNull(),
    protocol: text("protocol", { enum: ["native", "heartbeat"] }).notNull(),
    memoryType: text("memory_type").notNull(),
    systemPrompt: text("system_prompt").notNull(),
    settings: jsonb("settings").$type<AgentSettings>().notNull(),
    description: text("description"),
    /** A JSON array of texts. This column and the next two are text, so that a forgetting rewrites them like other texts. */
    tags: jsonText<readonly string[]>("tags").notNull().default(sql`'[]'`),
    /** A JSON object that only the caller interprets. */
    metadata: jsonText<JsonObject>("metadata").notNull().default(sql`'{}'`),
    /** A JSON object of values that front ends keep with the agent, each under its own name. */
    extensions: jsonText<JsonObject>("extensions").notNull().default(sql`'{}'`),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("agents_name_key").on(table.userId, table.name),
  ],
);

/**
 * Offers of agents; `user_id` is the user to whom the owner offers the agent. The row is deleted when that user accepts or
 * declines.
 */
export const offers = pgTable(
  "offers",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    agentId: agentId(),
    ownerId: text("owner_id").notNull(),
    /** A copy of the agent's name, since the user cannot read the agent's row before accepting the offer. */
    agentName: text("agent_name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId] }),
    index("offers_agent_index").on(table.agentId),
    index("offers_owner_index").on(table.ownerId, table.agentName),
    ownedBy("offers_agent_fkey", [table.ownerId, table.agentId], [agents.userId, agents.id]),
    ownedBy("offers_name_fkey", [table.ownerId, table.agentName], [agents.userId, agents.name]).onUpdate("cascade"),
  ],
);

/**
 * Grants; `user_id` may use the agent: as its owner, or because that user accepted the owner's offer. A grant that has ended
 * is kept while the user has a conversation or a passage with the agent. The agent may be deleted before that, so there is no
 * foreign key to it.
 */
export const grants = pgTable(
  "grants",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    agentId: agentId(),
    /** Null if the owner was deleted. */
    ownerId: text("owner_id").references(() => users.userId, { onDelete: "set null" }),
    /** Whether the user may still use the agent. A foreign key (`on update cascade`) copies it to `conversations.is_open`. */
    isUsable: boolean("is_usable").notNull().default(true),
    /** When the grant ended, and the agent's name and time zone at that time; null while the grant is usable. */
    endedAt: moment("ended_at"),
    agentName: text("agent_name"),
    timeZone: text("time_zone"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId] }),
    unique("grants_usable_key").on(table.userId, table.agentId, table.isUsable),
    check(
      "grants_end_check",
      sql`num_nonnulls(ended_at, agent_name, time_zone) = case when is_usable then 0 else 3 end`,
    ),
    index("grants_agent_index").on(table.agentId),
    index("grants_owner_index").on(table.ownerId),
  ],
);

/** Returns a foreign key from a row's user and agent to their grant. The row is deleted with the grant. */
export function grantKey(name: string, columns: { readonly userId: AnyPgColumn; readonly agentId: AnyPgColumn }) {
  return ownedBy(name, [columns.userId, columns.agentId], [grants.userId, grants.agentId]);
}

/**
 * The embedders of a user's agents. `role`: whether the embedder's vectors are searched, being built, kept for switching
 * back, or being deleted.
 */
export const agentEmbedders = pgTable(
  "agent_embedders",
  {
    userId: userId(),
    agentId: agentId(),
    embedder: text("embedder").notNull(),
    dimensions: integer("dimensions").notNull(),
    role: text("role", { enum: ["searched", "building", "kept", "dropping"] }).notNull(),
    since: momentOrNow("since"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.embedder, table.dimensions] }),
    uniqueIndex("agent_embedders_role_index")
      .on(table.userId, table.agentId, table.role)
      .where(sql`role <> 'dropping'`),
    grantKey("agent_embedders_grant_fkey", table),
    check("agent_embedders_role_check", sql`role in ('searched', 'building', 'kept', 'dropping')`),
    check("agent_embedders_dimensions_check", sql`dimensions between 1 and 16000`),
  ],
);
