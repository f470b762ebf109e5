// The table of links between messages of a user: when the model replaces text in memory, a link shows which statement
// is the later one (ADR 54).
// Invariant: a link exists only while both messages exist, and only until the edit of the module is undone or the passage is
// current again.
import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { userId } from "./columns.ts";
import { messages } from "./conversations.ts";
import { modules } from "./modules.ts";
import { passages } from "./passages.ts";

export const laterStatements = pgTable(
  "later_statements",
  {
    userId: userId(),
    id: uuid("id").notNull().defaultRandom(),
    earlierId: uuid("earlier_id").notNull(),
    laterId: uuid("later_id").notNull(),
    /** The revision that replaced a line of a module. No foreign key, because retention may drop the revision. */
    moduleId: uuid("module_id"),
    revision: integer("revision"),
    /** The passage that was replaced, for a link that comes from a passage instead of a module. */
    passageId: uuid("passage_id"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.earlierId, table.id] }),
    check(
      "later_statements_edit_check",
      sql`num_nonnulls(module_id, passage_id) = 1 and (module_id is null) = (revision is null)`,
    ),
    index("later_statements_later_index").on(table.userId, table.laterId),
    index("later_statements_module_index")
      .on(table.userId, table.moduleId, table.revision)
      .where(sql`module_id is not null`),
    index("later_statements_passage_index").on(table.userId, table.passageId).where(sql`passage_id is not null`),
    foreignKey({
      name: "later_statements_earlier_fkey",
      columns: [table.userId, table.earlierId],
      foreignColumns: [messages.userId, messages.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "later_statements_later_fkey",
      columns: [table.userId, table.laterId],
      foreignColumns: [messages.userId, messages.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "later_statements_module_fkey",
      columns: [table.userId, table.moduleId],
      foreignColumns: [modules.userId, modules.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "later_statements_passage_fkey",
      columns: [table.userId, table.passageId],
      foreignColumns: [passages.userId, passages.id],
    }).onDelete("cascade"),
  ],
);
