// Tables: the modules of core memory and every change of them.
// Invariant: a module's `revision` is the number of its newest row in `revisions`, 0 before the first.
import { sql } from "drizzle-orm";
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { grantKey } from "./agents.ts";
import { agentId, createdAt, external, moment, trust, userId } from "./columns.ts";

/** `user_id` is the agent's owner for scope `agent`, and the user whose module it is for scope `user`. */
export const modules = pgTable(
  "modules",
  {
    userId: userId(),
    agentId: agentId(),
    label: text("label").notNull(),
    /** The module's position in the memory class. */
    position: integer("position").notNull(),
    scope: text("scope", { enum: ["agent", "user"] }).notNull(),
    description: text("description"),
    value: text("value").notNull(),
    maxLength: integer("max_length").notNull(),
    readOnly: boolean("read_only").notNull(),
    revision: integer("revision").notNull().default(0),
    /** Trust class of the value. */
    trust: trust(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.label] }),
    index("modules_agent_index").on(table.agentId),
    grantKey("modules_grant_fkey", table),
  ],
);

export const revisions = pgTable(
  "revisions",
  {
    userId: userId(),
    agentId: agentId(),
    label: text("label").notNull(),
    revision: integer("revision").notNull(),
    before: text("before").notNull(),
    after: text("after").notNull(),
    origin: text("origin", { enum: ["model", "user", "api", "import"] }).notNull(),
    toolName: text("tool_name"),
    callId: text("call_id"),
    messageId: uuid("message_id"),
    conversationId: uuid("conversation_id"),
    undoes: integer("undoes"),
    /** Trust class of the new text. */
    trust: trust(),
    /** External sources that were in the window when it was written. */
    external: external(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.label, table.revision] }),
    check("revisions_import_check", sql`origin <> 'import' or trust = 'external'`),
    index("revisions_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("revisions_newest_index").on(table.userId, table.agentId, table.createdAt),
    foreignKey({
      name: "revisions_module_fkey",
      columns: [table.userId, table.agentId, table.label],
      foreignColumns: [modules.userId, modules.agentId, modules.label],
    }).onDelete("cascade"),
  ],
);
