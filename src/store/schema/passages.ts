// The table of passages: archival memory of agents, and files loaded into sources.
// Invariant: a passage belongs to one archive, an agent's or a source's, and a text is unique within an archive. Vectors have
// separate tables, one per number of dimensions, which `ensure_vector_tables` creates (src/store/sql/functions/), not
// drizzle-kit.
import { sql } from "drizzle-orm";
import { check, doublePrecision, index, integer, jsonb, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import type { SourceLocation } from "../port/passage-store.ts";
import { grantKey, users } from "./agents.ts";
import { bytea, createdAt, external, moment, ownedBy, searchWords, terms, trust, userId, uuid } from "./columns.ts";
import { sourceFiles, sources } from "./sources.ts";

export const passages = pgTable(
  "passages",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    /** The agent or the source to which the passage belongs. */
    archiveId: uuid("archive_id").notNull().generatedAlwaysAs(sql`coalesce(agent_id, source_id)`),
    agentId: uuid("agent_id"),
    sourceId: uuid("source_id"),
    /** The file of a source from which the passage was read, and its place in that file. */
    fileId: uuid("file_id"),
    place: jsonb("place").$type<SourceLocation>(),
    /** The conversation in which the passage was added. No foreign key, because the passage outlives the conversation. */
    conversationId: uuid("conversation_id"),
    /** The message whose tool call added the passage; null if no call did, or if calls of several turns did. */
    messageId: uuid("message_id"),
    callId: text("call_id"),
    kind: text("kind", { enum: ["memory", "fact", "document"] }).notNull(),
    tags: text("tags").array().notNull(),
    origin: text("origin", { enum: ["model", "user", "api", "import"] }).notNull(),
    trust: trust(),
    /** External sources that were in the window when the passage was written. */
    external: external(),
    content: text("content").notNull(),
    searchText: text("search_text").notNull(),
    terms: terms(),
    words: searchWords(),
    /** SHA-256 of the content; for a passage of a file, also of the file's id and the location in the file. */
    contentHash: bytea("content_hash").notNull(),
    /** The importance that the passage was given, from 0 to 1. */
    importance: doublePrecision("importance").notNull().default(0.5),
    /**
     * The passage that replaced this one; null while this one is current. When the replacement is deleted, the trigger
     * `relink_replaced` updates the column.
     */
    replacedBy: uuid("replaced_by"),
    /**
     * How often searches have shown the passage, and when last. Not indexed, so that an update leaves no dead index entries.
     */
    accessCount: integer("access_count").notNull().default(0),
    accessedAt: moment("accessed_at"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    check("passages_import_check", sql`(origin <> 'import' and kind <> 'document') or trust = 'external'`),
    check("passages_archive_check", sql`num_nonnulls(agent_id, source_id) = 1`),
    check("passages_importance_check", sql`importance between 0 and 1`),
    unique("passages_content_key").on(table.userId, table.archiveId, table.contentHash),
    index("passages_newest_index").on(table.userId, table.archiveId, table.createdAt, table.id),
    index("passages_agent_index").on(table.agentId),
    grantKey("passages_grant_fkey", table),
    index("passages_file_index").on(table.userId, table.fileId).where(sql`file_id is not null`),
    index("passages_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("passages_replaced_index").on(table.userId, table.replacedBy).where(sql`replaced_by is not null`),
    index("passages_words_index").using("gin", table.words),
    ownedBy("passages_source_fkey", [table.userId, table.sourceId], [sources.userId, sources.id]),
    ownedBy("passages_file_fkey", [table.userId, table.fileId], [sourceFiles.userId, sourceFiles.id]),
  ],
);
