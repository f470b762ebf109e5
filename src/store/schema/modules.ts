// Tables: the modules of core memory, the agents that hold them, their grants to other users, and all changes of their values.
// Invariant: a module's `revision` is the number of its newest row in `revisions`, 0 before the first. The primary key of
// `agent_modules` makes labels unique per agent, because that table repeats the label of each module.
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { grantKey, users } from "./agents.ts";
import {
  agentId,
  createdAt,
  external,
  type JsonObject,
  jsonText,
  lineTrust,
  momentOrNow,
  ownedBy,
  trust,
  userId,
  uuid,
} from "./columns.ts";

/** Modules; `user_id` is the owner. A module can be held by any number of agents, or by none. */
export const modules = pgTable(
  "modules",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull().default(sql`gen_random_uuid()`),
    label: text("label").notNull(),
    description: text("description"),
    value: text("value").notNull(),
    limit: integer("max_length").notNull(),
    readOnly: boolean("read_only").notNull(),
    revision: integer("revision").notNull().default(0),
    /** Number of changes of fields other than the value, so that open sessions notice them. */
    version: integer("version").notNull().default(0),
    /** Trust class of the value: the lowest of its lines. */
    trust: trust(),
    lineTrust: lineTrust(),
    /** Whether the module is kept when no agent holds it. A module that was created with an agent is deleted instead. */
    isKept: boolean("is_kept").notNull().default(false),
    /** A JSON array of texts. This column and `metadata` are text, so that a forgetting rewrites them like other texts. */
    tags: jsonText<readonly string[]>("tags").notNull().default(sql`'[]'`),
    /** A JSON object that only the caller interprets. */
    metadata: jsonText<JsonObject>("metadata").notNull().default(sql`'{}'`),
    createdAt: createdAt(),
    updatedAt: momentOrNow("updated_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("modules_label_key").on(table.userId, table.id, table.label),
  ],
);

/** Target of foreign keys that include the label: through `on update cascade`, PostgreSQL keeps repeated labels equal. */
const labelled = [modules.userId, modules.id, modules.label] as const;

/**
 * The modules that agents hold, which are in their prompts. For scope `agent`, `user_id` is the agent's owner; for
 * scope `user`, it is the only user for whom the prompt shows the module. `owner_id` is the module's owner: a different
 * user if the module is shared with `user_id`.
 */
export const agentModules = pgTable(
  "agent_modules",
  {
    userId: userId(),
    agentId: agentId(),
    label: text("label").notNull(),
    ownerId: text("owner_id").notNull(),
    moduleId: uuid("module_id").notNull(),
    /** The module's position in the prompt. */
    position: integer("position").notNull(),
    scope: text("scope", { enum: ["agent", "user"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.label] }),
    index("agent_modules_agent_index").on(table.agentId),
    index("agent_modules_module_index").on(table.ownerId, table.moduleId),
    grantKey("agent_modules_grant_fkey", table),
    ownedBy("agent_modules_module_fkey", [table.ownerId, table.moduleId, table.label], labelled).onUpdate("cascade"),
  ],
);

/**
 * Offers and grants of modules; `user_id` is the user with whom the owner shares the module. Deleting the row ends the grant,
 * and the user's agents lose the module.
 */
export const moduleGrants = pgTable(
  "module_grants",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    ownerId: text("owner_id").notNull(),
    moduleId: uuid("module_id").notNull(),
    /** A copy of the module's label, since the user cannot read the module's row before accepting the offer. */
    label: text("label").notNull(),
    access: text("access", { enum: ["read", "append", "write"] }).notNull(),
    isAccepted: boolean("is_accepted").notNull().default(false),
    /** The module's revision when the offer was accepted; the user can read only later revisions. */
    since: integer("since"),
    at: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerId, table.moduleId] }),
    index("module_grants_module_index").on(table.ownerId, table.moduleId),
    check("module_grants_access_check", sql`access in ('read', 'append', 'write')`),
    check("module_grants_since_check", sql`is_accepted = (since is not null)`),
    ownedBy("module_grants_module_fkey", [table.ownerId, table.moduleId, table.label], labelled).onUpdate("cascade"),
  ],
);

/**
 * Changes of modules; `user_id` is the module's owner. A revision that another user made names that user, but not that user's
 * agent, conversation or message.
 */
export const revisions = pgTable(
  "revisions",
  {
    userId: userId(),
    moduleId: uuid("module_id").notNull(),
    revision: integer("revision").notNull(),
    /** The user who made the change; null if that user was deleted. */
    editorId: text("editor_id"),
    /** The agent that made the change, or that the user was using; null if there was none, or it is deleted. */
    agentId: uuid("agent_id"),
    before: text("before").notNull(),
    after: text("after").notNull(),
    origin: text("origin", { enum: ["model", "user", "api", "import"] }).notNull(),
    /** The program that made the change for the user; null if no program gave its name. */
    client: text("client"),
    toolName: text("tool_name"),
    callId: text("call_id"),
    messageId: uuid("message_id"),
    conversationId: uuid("conversation_id"),
    undoes: integer("undoes"),
    /** Trust class of the lines that the change wrote. */
    trust: trust(),
    /** Trust classes of the lines of the new text. */
    lineTrust: lineTrust(),
    /** External sources that were in the window when the change was made. */
    external: external(),
    at: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.moduleId, table.revision] }),
    check("revisions_import_check", sql`origin <> 'import' or trust = 'external'`),
    check(
      "revisions_editor_check",
      sql`editor_id = user_id or (trust = 'external' and num_nonnulls(agent_id, call_id, message_id, conversation_id) = 0)`,
    ),
    index("revisions_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("revisions_editor_index").on(table.editorId),
    index("revisions_agent_index").on(table.userId, table.agentId).where(sql`agent_id is not null`),
    index("revisions_newest_index").on(table.userId, table.moduleId, table.at),
    ownedBy("revisions_module_fkey", [table.userId, table.moduleId], [modules.userId, modules.id]),
  ],
);
