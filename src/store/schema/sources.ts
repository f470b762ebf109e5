// Tables: sources of passages, their files, and the agents that search them.
// Invariant: a path is unique within a source; attaching adds a row and copies nothing.
import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { grantKey, users } from "./agents.ts";
import { agentId, bytea, createdAt, type JsonObject, jsonText, momentOrNow, ownedBy, userId, uuid } from "./columns.ts";

export const sources = pgTable(
  "sources",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    description: text("description"),
    /** JSON objects, as in the table of agents. */
    metadata: jsonText<JsonObject>("metadata").notNull().default(sql`'{}'`),
    extensions: jsonText<JsonObject>("extensions").notNull().default(sql`'{}'`),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("sources_name_key").on(table.userId, table.name),
  ],
);

export const sourceFiles = pgTable(
  "source_files",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    sourceId: uuid("source_id").notNull(),
    /** Absolute path with `/`; identifies the file in later loads. Citations show a passage's `place`, not this path. */
    path: text("path").notNull(),
    kind: text("kind").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    /** SHA-256 of the file's bytes. */
    contentHash: bytea("content_hash").notNull(),
    status: text("status", { enum: ["loaded", "failed"] }).notNull(),
    /** Why the file could not be read. */
    reason: text("reason"),
    passages: integer("passages").notNull(),
    loadedAt: momentOrNow("loaded_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("source_files_path_key").on(table.userId, table.sourceId, table.path),
    check("source_files_reason_check", sql`(status = 'failed') = (reason is not null)`),
    ownedBy("source_files_source_fkey", [table.userId, table.sourceId], [sources.userId, sources.id]),
  ],
);

export const agentSources = pgTable(
  "agent_sources",
  {
    userId: userId(),
    agentId: agentId(),
    sourceId: uuid("source_id").notNull(),
    createdAt: createdAt(),
    /** The files of the source that are open in the agent's window, as JSON: ids, lines and times. */
    openFiles: text("open_files").notNull().default("[]"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.sourceId] }),
    grantKey("agent_sources_grant_fkey", table),
    index("agent_sources_source_index").on(table.userId, table.sourceId),
    ownedBy("agent_sources_source_fkey", [table.userId, table.sourceId], [sources.userId, sources.id]),
  ],
);
