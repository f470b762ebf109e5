// Tables: which object holds the memory of which node of a workflow.
// Invariant: a trigger on update and deletion takes the object along that no row names any more, or notes its deletion where it
// is kept elsewhere; the rows of a conversation go with it, by a trigger, since an application may have ids of its own.
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "./agents.ts";
import { createdAt, moment, userId } from "./columns.ts";

export const nodeMemories = pgTable(
  "node_memories",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    app: text("app").notNull(),
    /** The id of one of our conversations, or one that the application has given. */
    conversation: text("conversation").notNull(),
    node: text("node").notNull(),
    /** Which objects hold it: `database`, or the setting's kind of object storage. */
    place: text("place").notNull(),
    objectKey: text("object_key").notNull(),
    /** How often it was written. */
    revision: integer("revision").notNull(),
    messages: integer("messages").notNull(),
    /** Of the object. */
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
