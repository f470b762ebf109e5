// Table: the object that holds the memory of each node of a workflow.
// Invariant: a trigger on update and deletion deletes an object that no row names any more, or records its deletion if it is
// stored elsewhere. The rows of a deleted conversation are deleted by another trigger. A foreign key is not possible, because
// an application may use its own conversation ids.
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "./agents.ts";
import { createdAt, moment, userId } from "./columns.ts";

export const nodeMemories = pgTable(
  "node_memories",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    app: text("app").notNull(),
    /** The id of a conversation of the runtime, or an id that the application chose. */
    conversation: text("conversation").notNull(),
    node: text("node").notNull(),
    /** Where the object is stored: `database`, or `folder` or `s3` as in the setting `objects`. */
    place: text("place").notNull(),
    objectKey: text("object_key").notNull(),
    /** Number of writes. */
    revision: integer("revision").notNull(),
    messages: integer("messages").notNull(),
    /** Size of the object in bytes. */
    bytes: integer("bytes").notNull(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.app, table.conversation, table.node] }),
    index("node_memories_conversation_index").on(table.userId, table.conversation),
    index("node_memories_updated_index").on(table.userId, table.updatedAt),
  ],
);
