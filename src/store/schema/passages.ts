// Tables: passages of archival memory, and their vectors, one table per number of dimensions.
// Invariant: one user has a text once per agent; a vector's table has exactly its width.
import { sql } from "drizzle-orm";
import { check, foreignKey, index, pgTable, primaryKey, text, unique, uuid, vector } from "drizzle-orm/pg-core";
import { agents, users } from "./agents.ts";
import { agentId, bytea, createdAt, trust, userId, wordsOfSearchText } from "./columns.ts";

export const passages = pgTable(
  "passages",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    agentId: agentId().references(() => agents.id, { onDelete: "cascade" }),
    /** The session it was made in. It outlives the conversation, so this is no foreign key. */
    conversationId: uuid("conversation_id"),
    /** The message whose call alone has added it; null for one that was added outside of a turn, or by several. */
    messageId: uuid("message_id"),
    callId: text("call_id"),
    kind: text("kind", { enum: ["memory", "fact", "document"] }).notNull(),
    tags: text("tags").array().notNull(),
    origin: text("origin", { enum: ["model", "user", "api", "import"] }).notNull(),
    sourceId: uuid("source_id"),
    trust: trust(),
    content: text("content").notNull(),
    searchText: text("search_text").notNull(),
    words: wordsOfSearchText(),
    /** SHA-256 of the content. */
    contentHash: bytea("content_hash").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    check("passages_import_check", sql`(origin <> 'import' and kind <> 'document') or trust = 'external'`),
    unique("passages_content_key").on(table.userId, table.agentId, table.contentHash),
    index("passages_newest_index").on(table.userId, table.agentId, table.createdAt, table.id),
    index("passages_agent_index").on(table.agentId),
    index("passages_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("passages_words_index").using("gin", table.words),
  ],
);

export const passages512 = pgTable(
  "passages_512",
  {
    userId: userId(),
    agentId: agentId(),
    passageId: uuid("passage_id").notNull(),
    embedder: text("embedder").notNull(),
    embedding: vector("embedding", { dimensions: 512 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.passageId, table.embedder] }),
    index("passages_512_agent_index").on(table.userId, table.agentId),
    foreignKey({
      name: "passages_512_passage_fkey",
      columns: [table.userId, table.passageId],
      foreignColumns: [passages.userId, passages.id],
    }).onDelete("cascade"),
  ],
);
