// Tables: conversations, their messages as a tree, the inputs that start turns, and compactions.
import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import type { ContentPart } from "../../base/message/message.ts";
import type { MemorySnapshot, StateEntry } from "../port/records.ts";
import type { InputMessage } from "../port/turn-store.ts";
import { grants } from "./agents.ts";
import {
  agentId,
  createdAt,
  moment,
  momentOrNow,
  ownedBy,
  searchWords,
  terms,
  trust,
  userId,
  uuid,
} from "./columns.ts";

export const conversations = pgTable(
  "conversations",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    /** Whether the user may use the agent: the grant's `is_usable`. A closed conversation is read-only. */
    isOpen: boolean("is_open").notNull().default(true),
    title: text("title"),
    // No foreign key: messages reference their conversation, and a cycle of foreign keys would need deferred checks.
    leafId: uuid("leaf_id"),
    /** The leaf's position, stored here so that an append need not read the leaf's row; 0 without a leaf. */
    leafPosition: integer("leaf_position").notNull().default(0),
    /** Number of compactions and undos: a process that has read the window at an older version reads it again. */
    windowVersion: integer("window_version").notNull().default(0),
    /** Number of times that the lease was taken. A write with an older number is refused. */
    leaseFence: integer("lease_fence").notNull().default(0),
    /** The process that holds the lease, as JSON; null while it is free. */
    leaseHolder: text("lease_holder"),
    leaseExpiresAt: moment("lease_expires_at"),
    /** The fence of the lease whose holder was requested to stop. */
    stoppedFence: integer("stopped_fence"),
    /** The core memory that the prompt shows; null before the first request. */
    memorySnapshot: jsonb("memory_snapshot").$type<MemorySnapshot>(),
    createdAt: createdAt(),
    updatedAt: momentOrNow("updated_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    // Rows that belong to a conversation reference this key, so that their agent is always the conversation's.
    unique("conversations_agent_key").on(table.userId, table.id, table.agentId),
    // `on update cascade` copies the grant's `is_usable` to `is_open`: a conversation is open exactly while its grant is
    // usable.
    ownedBy(
      "conversations_grant_fkey",
      [table.userId, table.agentId, table.isOpen],
      [grants.userId, grants.agentId, grants.isUsable],
    ).onUpdate("cascade"),
    // The index lacks `updated_at`: every commit changes that column, and an update that changes no indexed column (HOT) is
    // cheap and leaves no dead index entries.
    index("conversations_agent_index").on(table.agentId, table.userId),
    // Used when a passage is deleted, to find the conversations whose prompt shows a synopsis made from it.
    index("conversations_synopsis_index").on(table.userId, table.agentId).where(sql`memory_snapshot ? 'synopsis'`),
  ],
);

/** The columns that rows of a conversation reference, so that their agent is always the conversation's. */
export const conversationKey = [conversations.userId, conversations.id, conversations.agentId] as const;

export const messages = pgTable(
  "messages",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    // No foreign key: the compare-and-swap on the leaf already ensures that parents exist, and a cascade would delete
    // messages one by one.
    parentId: uuid("parent_id"),
    turnId: uuid("turn_id").notNull(),
    position: integer("position").notNull(),
    /** Who wrote the message: `user`, `model`, `tool`, for events `runtime`, and for system messages `program`. */
    author: text("author", { enum: ["user", "model", "tool", "runtime", "program"] }).notNull(),
    role: text("role", { enum: ["user", "assistant", "tool"] }).notNull(),
    /** The writer's name, if known. */
    speaker: text("speaker"),
    kind: text("kind", { enum: ["message", "event", "system"] }).notNull(),
    status: text("status", { enum: ["complete", "interrupted"] }).notNull(),
    content: jsonb("content").$type<readonly ContentPart[]>().notNull(),
    text: text("text").notNull(),
    /** The folded text; null for messages that recall does not search: events, system messages and tool results. */
    searchText: text("search_text"),
    terms: terms(),
    words: searchWords(),
    tokens: integer("tokens").notNull(),
    trust: trust(),
    /** The state entry after the message: a text about the agent's state; removed by the next snapshot of core memory. */
    stated: jsonb("stated").$type<StateEntry>(),
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
    ownedBy("messages_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);

/** Inputs of users: queued ones, ordered by `created_at`, and the idempotency keys of those that became messages. */
export const inputs = pgTable(
  "inputs",
  {
    userId: userId(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    status: text("status", { enum: ["queued", "taken"] }).notNull(),
    /** The messages of a queued input. When a turn takes the input, each message after the first gets a row of its own. */
    messages: jsonb("messages").$type<readonly InputMessage[]>(),
    /** The turn that the sender requested; null if the input was never queued. A different turn may have taken the input. */
    turnId: uuid("turn_id"),
    /** The terms of the turn that the input starts. */
    options: text("options").notNull().default("{}"),
    isServed: boolean("is_served").notNull().default(false),
    /** While the input is queued: the time at which its sender counts as gone, unless the sender polls again. */
    waitsUntil: moment("waits_until"),
    /** The message that the input became. */
    messageId: uuid("message_id"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.conversationId, table.idempotencyKey] }),
    index("inputs_turn_index").on(table.userId, table.turnId).where(sql`turn_id is not null`),
    index("inputs_message_index").on(table.userId, table.messageId).where(sql`message_id is not null`),
    index("inputs_served_index").on(table.userId, table.waitsUntil).where(sql`is_served and status = 'queued'`),
    index("inputs_queue_index").on(table.userId, table.conversationId, table.createdAt).where(sql`status = 'queued'`),
    ownedBy("inputs_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);

/**
 * Compactions: each covers the messages from `from_position` to the position of `through_id`. Those of the current window
 * form a chain (src/store/sql/compaction-chain.ts); the others are superseded, undone, or on another branch.
 */
export const compactions = pgTable(
  "compactions",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** The window's version after the compaction; the same for compactions that were made, and are undone, together. */
    windowVersion: integer("window_version").notNull(),
    strategy: text("strategy", { enum: ["recursive", "ring", "truncate"] }).notNull(),
    fromPosition: integer("from_position").notNull(),
    throughId: uuid("through_id").notNull(),
    throughPosition: integer("through_position").notNull(),
    summary: text("summary").notNull(),
    /** Number of messages on the thread when the compaction was made, and tokens of the messages that it covers. */
    threadMessages: integer("thread_messages").notNull(),
    rangeTokens: integer("range_tokens").notNull(),
    /** Tokens of the window's summaries and messages, before and after the compaction. */
    tokensBefore: integer("tokens_before").notNull(),
    tokensAfter: integer("tokens_after").notNull(),
    /** The model that wrote the summary; null if none did. */
    model: text("model"),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    cachedInputTokens: integer("cached_input_tokens").notNull(),
    /** Cost of the summary in US dollars; null if the price was unknown. */
    dollars: doublePrecision("dollars"),
    focus: text("focus"),
    /** The lowest trust class of the summary's inputs. */
    trust: trust(),
    undoneAt: moment("undone_at"),
    at: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("compactions_chain_index")
      .on(table.userId, table.conversationId, table.throughPosition, table.windowVersion)
      .where(sql`undone_at is null`),
    // Used to list compactions, and to find those that are undone together.
    index("compactions_version_index").on(table.userId, table.conversationId, table.windowVersion),
    ownedBy("compactions_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);
