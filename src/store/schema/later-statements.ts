// The table of links between messages of a user: when the model replaces text in memory, a link shows which statement
// is the later one (ADR 54).
// Invariant: a link exists only while both messages exist, and only until the edit of the module is undone or the passage is
// current again.
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { ownedBy, userId } from "./columns.ts";
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
    ownedBy("later_statements_earlier_fkey", [table.userId, table.earlierId], [messages.userId, messages.id]),
    ownedBy("later_statements_later_fkey", [table.userId, table.laterId], [messages.userId, messages.id]),
    ownedBy("later_statements_module_fkey", [table.userId, table.moduleId], [modules.userId, modules.id]),
    ownedBy("later_statements_passage_fkey", [table.userId, table.passageId], [passages.userId, passages.id]),
  ],
);
