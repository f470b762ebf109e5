// Tables: turns, the log of model calls, tool calls with their status, and the events of recent turns.
// Invariant: every tool call of a stored reply has a row. The status is `pending` until the call's result is stored
// with its effects, except while the call waits: `awaiting-approval` until a decision makes it `pending` again;
// `awaiting-result` (from the caller) and `awaiting-reply` (from another agent) until the result is stored.
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { agentId, createdAt, type JsonObject, jsonText, moment, ownedBy, userId, uuid } from "./columns.ts";
import { conversationKey, messages } from "./conversations.ts";

/**
 * Turns. A turn that an input starts is stored when it begins; a turn that a runtime event starts is stored when it
 * ends. No column says whether a turn is running: this follows from the conversation's lease and leaf, so nothing has
 * to be corrected after a crash. Turns are listed by id, which sorts by creation.
 */
export const turns = pgTable(
  "turns",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** Null while the turn runs (also after it was resumed), and if its process ended during the turn. */
    stopReason: text("stop_reason"),
    errorCode: text("error_code"),
    isBackground: boolean("is_background").notNull().default(false),
    /** A JSON object that only the caller interprets. */
    metadata: jsonText<JsonObject>("metadata").notNull().default(sql`'{}'`),
    /** The options with which the turn was requested, as a JSON object, for the process that continues it. */
    options: text("options").notNull().default("{}"),
    /** Whether servers continue the turn if its process ends. */
    isServed: boolean("is_served").notNull().default(false),
    /** Number of times that the turn was continued since it was requested. */
    continued: integer("continued").notNull().default(0),
    createdAt: createdAt(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("turns_conversation_index").on(table.userId, table.conversationId),
    // Used to find turns without an end, which run or whose process has ended.
    index("turns_open_index").on(table.userId, table.conversationId).where(sql`is_served and stop_reason is null`),
    ownedBy("turns_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);

export const steps = pgTable(
  "steps",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    turnId: uuid("turn_id").notNull(),
    number: integer("number").notNull(),
    messageId: uuid("message_id").notNull(),
    model: text("model").notNull(),
    finish: text("finish").notNull(),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    cachedInputTokens: integer("cached_input_tokens").notNull(),
    report: jsonb("report").$type<Readonly<Record<string, unknown>>>().notNull(),
    at: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("steps_conversation_index").on(table.userId, table.conversationId, table.id),
    ownedBy("steps_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);

export const toolCalls = pgTable(
  "tool_calls",
  {
    userId: userId(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** The assistant's message that contains the call. */
    messageId: uuid("message_id").notNull(),
    callId: text("call_id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    status: text("status", {
      enum: ["pending", "awaiting-approval", "awaiting-result", "awaiting-reply", "ok", "failed", "interrupted"],
    }).notNull(),
    resultMessageId: uuid("result_message_id"),
    createdAt: createdAt(),
    settledAt: moment("settled_at"),
    /**
     * When approval or a result was requested; null if neither was. `requested_arguments` are the model's arguments,
     * `approved_arguments` are those that the user approved instead.
     */
    requestedAt: moment("requested_at"),
    expiresAt: moment("expires_at"),
    requestedArguments: text("requested_arguments"),
    /** The tool's description of what the call would do. */
    preview: text("preview"),
    /** The definition of an MCP server's tool, and the lines in which it differs from the one that the user approved last. */
    definition: text("definition"),
    definitionChange: text("definition_change"),
    verdict: text("verdict", { enum: ["approved", "denied"] }),
    decidedBy: text("decided_by", { enum: ["user", "message", "timeout"] }),
    reason: text("reason"),
    approvedArguments: text("approved_arguments"),
    decidedAt: moment("decided_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.messageId, table.callId] }),
    index("tool_calls_waiting_index")
      .on(table.userId, table.agentId, table.requestedAt)
      .where(sql`status = 'awaiting-approval'`),
    index("tool_calls_definition_index")
      .on(table.userId, table.name, table.decidedAt)
      .where(sql`definition is not null and verdict = 'approved'`),
    ownedBy("tool_calls_message_fkey", [table.userId, table.messageId], [messages.userId, messages.id]),
  ],
);

/** The events of recent turns, several per row, for readers in other processes. They are deleted after some time. */
export const turnEvents = pgTable(
  "turn_events",
  {
    userId: userId(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    turnId: uuid("turn_id").notNull(),
    firstSequence: integer("first_sequence").notNull(),
    lastSequence: integer("last_sequence").notNull(),
    /** The text that `encodeEvents` writes. Text instead of jsonb, because the database never looks into it. */
    events: text("events").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.turnId, table.firstSequence] }),
    index("turn_events_age_index").on(table.userId, table.createdAt),
    ownedBy("turn_events_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);
