// Tables: conversations, their messages as a tree, the inputs that start turns, and the summaries of what was evicted.
// Invariant: a message is `on_thread` exactly when it is the conversation's leaf or an ancestor of it,
// and its `position` is its parent's + 1, so a thread is a range of positions and no walk over parents.
import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import type { ContentPart } from "../../message/message.ts";
import type { MemorySnapshot } from "../../memory/records.ts";
import { grants } from "./agents.ts";
import { agentId, createdAt, moment, searchWords, terms, trust, userId } from "./columns.ts";

export const conversations = pgTable(
  "conversations",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    /** Whether the user may use the agent: the grant's `is_usable`. A conversation that is not open is only read. */
    isOpen: boolean("is_open").notNull().default(true),
    title: text("title"),
    // No foreign key: messages point at their conversation already, and a cycle would have to be deferred.
    leafId: uuid("leaf_id"),
    /** The leaf's position, 0 while there is none: appending never has to look for it. */
    leafPosition: integer("leaf_position").notNull().default(0),
    /** Counts compactions and their undoing: who has read the window at a lower one reads it again. */
    windowVersion: integer("window_version").notNull().default(0),
    /** Counts how often the lease was taken. A turn's writes name the one they were made under. */
    leaseFence: integer("lease_fence").notNull().default(0),
    /** The process that has the lease, as JSON; null while nobody has it. */
    leaseHolder: text("lease_holder"),
    leaseExpiresAt: moment("lease_expires_at"),
    /** Core memory as it stands in the prompt; null before the first request. */
    memorySnapshot: jsonb("memory_snapshot").$type<MemorySnapshot>(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    // For the foreign keys of what hangs on a conversation: a row that names another agent than its conversation is refused.
    unique("conversations_agent_key").on(table.userId, table.id, table.agentId),
    // With the third column and the cascade, a conversation is open exactly while the grant is usable.
    foreignKey({
      name: "conversations_grant_fkey",
      columns: [table.userId, table.agentId, table.isOpen],
      foreignColumns: [grants.userId, grants.agentId, grants.isUsable],
    })
      .onUpdate("cascade")
      .onDelete("cascade"),
    // Without `updated_at`: every commit changes it, and an update that touches no index is cheap and leaves no garbage.
    index("conversations_agent_index").on(table.agentId, table.userId),
    // Those whose prompt shows a synopsis: to be found when a passage under it is deleted.
    index("conversations_synopsis_index").on(table.userId, table.agentId).where(sql`memory_snapshot ? 'synopsis'`),
  ],
);

export const messages = pgTable(
  "messages",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    // No foreign key: parents are checked by the compare-and-swap on the leaf, and a cascade would go message by message.
    parentId: uuid("parent_id"),
    turnId: uuid("turn_id").notNull(),
    position: integer("position").notNull(),
    /** Who wrote it: `user`, `model`, `tool` or, for events, `runtime`. */
    author: text("author", { enum: ["user", "model", "tool", "runtime"] }).notNull(),
    role: text("role", { enum: ["user", "assistant", "tool"] }).notNull(),
    /** The name of who wrote it, where that is known: of messages that were said elsewhere. */
    speaker: text("speaker"),
    kind: text("kind", { enum: ["message", "event"] }).notNull(),
    status: text("status", { enum: ["complete", "interrupted"] }).notNull(),
    content: jsonb("content").$type<readonly ContentPart[]>().notNull(),
    text: text("text").notNull(),
    /** `text` folded, or null for what recall does not find: events and tool results. */
    searchText: text("search_text"),
    terms: terms(),
    words: searchWords(),
    tokens: integer("tokens").notNull(),
    trust: trust(),
    onThread: boolean("on_thread").notNull().default(true),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("messages_thread_index").on(table.userId, table.conversationId, table.position),
    index("messages_recall_index")
      .on(table.userId, table.agentId, table.createdAt, table.id)
      .where(sql`search_text is not null`),
    index("messages_words_index").using("gin", table.words),
    foreignKey({
      name: "messages_conversation_fkey",
      columns: [table.userId, table.conversationId, table.agentId],
      foreignColumns: [conversations.userId, conversations.id, conversations.agentId],
    }).onDelete("cascade"),
  ],
);

/** What people sent: the ones that wait, in the order of `created_at`, and the keys of those that became messages. */
export const inputs = pgTable(
  "inputs",
  {
    userId: userId(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    status: text("status", { enum: ["queued", "taken"] }).notNull(),
    /** While it waits: what was sent. */
    content: jsonb("content").$type<readonly ContentPart[]>(),
    /** While it waits: when its sender counts as gone unless it asks again. */
    waitsUntil: moment("waits_until"),
    /** The message that the input became. */
    messageId: uuid("message_id"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.conversationId, table.idempotencyKey] }),
    index("inputs_queue_index").on(table.userId, table.conversationId, table.createdAt).where(sql`status = 'queued'`),
    foreignKey({
      name: "inputs_conversation_fkey",
      columns: [table.userId, table.conversationId, table.agentId],
      foreignColumns: [conversations.userId, conversations.id, conversations.agentId],
    }).onDelete("cascade"),
  ],
);

/**
 * What stands for messages that left a window: for the positions from `from_position` to that of `through_id`. Those that are
 * in a window are a chain (src/store/sql/compaction-chain.ts); others are superseded, undone, or on another branch.
 */
export const compactions = pgTable(
  "compactions",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** The window's version that it made: what was made together is undone together, with all that came later. */
    windowVersion: integer("window_version").notNull(),
    strategy: text("strategy", { enum: ["recursive", "ring", "truncate"] }).notNull(),
    fromPosition: integer("from_position").notNull(),
    throughId: uuid("through_id").notNull(),
    throughPosition: integer("through_position").notNull(),
    summary: text("summary").notNull(),
    /** Messages of the thread when it was made, and tokens of those that it stands for. */
    threadMessages: integer("thread_messages").notNull(),
    rangeTokens: integer("range_tokens").notNull(),
    /** Tokens of the window's summaries and messages. */
    tokensBefore: integer("tokens_before").notNull(),
    tokensAfter: integer("tokens_after").notNull(),
    /** What wrote the summary; null when nothing did. */
    model: text("model"),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    cachedInputTokens: integer("cached_input_tokens").notNull(),
    /** Null when the price was not known. */
    dollars: doublePrecision("dollars"),
    focus: text("focus"),
    /** The lowest class of what the summary was made from. */
    trust: trust(),
    undoneAt: moment("undone_at"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("compactions_chain_index")
      .on(table.userId, table.conversationId, table.throughPosition, table.windowVersion)
      .where(sql`undone_at is null`),
    // For listings, and for what is undone together.
    index("compactions_version_index").on(table.userId, table.conversationId, table.windowVersion),
    foreignKey({
      name: "compactions_conversation_fkey",
      columns: [table.userId, table.conversationId, table.agentId],
      foreignColumns: [conversations.userId, conversations.id, conversations.agentId],
    }).onDelete("cascade"),
  ],
);
