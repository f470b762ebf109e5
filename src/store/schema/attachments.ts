// Tables: files of messages, the contents of objects in the database, and deletions of objects stored elsewhere that are
// still to be done.
// Invariant: an attachment is deleted with its message or its conversation; a trigger then deletes the object if no
// other attachment names it, or records its deletion if it is stored elsewhere.
import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "./agents.ts";
import { agentId, bytea, createdAt, momentOrNow, ownedBy, userId, uuid } from "./columns.ts";
import { conversationKey, messages } from "./conversations.ts";

export const attachments = pgTable(
  "attachments",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** The message to which the file belongs; null until the message is committed. */
    messageId: uuid("message_id"),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    /** Size in bytes. */
    size: integer("size").notNull(),
    /** SHA-256 of the content, in hexadecimal digits. */
    sha256: text("sha256").notNull(),
    /** Where the content is stored: `database`, or `folder` or `s3` as in the setting `objects`. */
    place: text("place").notNull(),
    /** The key of the object, which all attachments of the user with the same content share. */
    objectKey: text("object_key").notNull(),
    /** Whether the object was written completely. */
    isStored: boolean("is_stored").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("attachments_content_index").on(table.userId, table.sha256),
    index("attachments_object_index").on(table.userId, table.objectKey),
    index("attachments_conversation_index").on(table.userId, table.conversationId),
    index("attachments_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("attachments_waiting_index").on(table.userId, table.createdAt).where(sql`message_id is null`),
    ownedBy("attachments_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
    ownedBy("attachments_message_fkey", [table.userId, table.messageId], [messages.userId, messages.id]),
  ],
);

/** Contents of objects, in parts: this limits the size of a statement, and of a row in a backup. */
export const objectParts = pgTable(
  "object_parts",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    key: text("key").notNull(),
    part: integer("part").notNull(),
    data: bytea("data").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key, table.part] })],
);

/**
 * Objects outside the database that are to be deleted (ADR 9). Their user may be deleted before them, so there is no foreign
 * key.
 */
export const objectDeletions = pgTable(
  "object_deletions",
  {
    userId: userId(),
    place: text("place").notNull(),
    objectKey: text("object_key").notNull(),
    createdAt: createdAt(),
    /**
     * When the object may be deleted. While an object is being written, this time is in the future; the writer deletes the
     * row once an attachment or a node memory names the object.
     */
    dueAt: momentOrNow("due_at"),
  },
  (table) => [primaryKey({ columns: [table.userId, table.place, table.objectKey] })],
);
