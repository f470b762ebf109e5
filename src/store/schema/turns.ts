// Tables: turns, the log of model calls, tool calls with their status, and the events of recent turns.
// Invariant: every tool call of a stored reply has a row: `pending` until its result is stored with its effects, except
// `awaiting-approval` from when approval was requested until a decision makes it `pending` again, and `awaiting-result` from
// when the caller was asked to run it until its result is stored.
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { agentId, createdAt, type JsonObject, jsonText, moment, ownedBy, userId, uuid } from "./columns.ts";
import { conversationKey, messages } from "./conversations.ts";

/**
 * Turns of inputs from when they begin, and those of the runtime's events from when they end. What runs now is not stored: it follows from the lease
 * and the leaf of the conversation, so nothing has to be corrected after a crash. Listed by id, which sorts by creation.
 */
export const turns = pgTable(
  "turns",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** Null until the turn ended or stopped to wait, when it goes on after that, and for one whose process ended. */
    stopReason: text("stop_reason"),
    errorCode: text("error_code"),
    isBackground: boolean("is_background").notNull().default(false),
    /** A JSON object of the caller's own. */
    metadata: jsonText<JsonObject>("metadata").notNull().default(sql`'{}'`),
    /** The options that the turn was asked for with, as a JSON object, for the process that continues it. */
    options: text("options").notNull().default("{}"),
    /** Whether servers continue it by themselves if its process ends. */
    isServed: boolean("is_served").notNull().default(false),
    /** How often it was continued since it was asked for. */
    continued: integer("continued").notNull().default(0),
    createdAt: createdAt(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("turns_conversation_index").on(table.userId, table.conversationId),
    // The turns that run, and those that a process has left.
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
    /** The assistant's message that asked for the call. */
    messageId: uuid("message_id").notNull(),
    callId: text("call_id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    status: text("status", {
      enum: ["pending", "awaiting-approval", "awaiting-result", "ok", "failed", "interrupted"],
    }).notNull(),
    resultMessageId: uuid("result_message_id"),
    createdAt: createdAt(),
    settledAt: moment("settled_at"),
    /**
     * Null unless approval or a result was requested. The first arguments are the model's, the others those that the user approved
     * instead.
     */
    requestedAt: moment("requested_at"),
    expiresAt: moment("expires_at"),
    requestedArguments: text("requested_arguments"),
    /** What the tool said that the call would do. */
    preview: text("preview"),
    /** How the tool's server defined it, and the lines that differ from the definition that the user approved last. */
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

/** The events of recent turns, some in each row, for readers in other processes. They expire (`keepEvents`). */
export const turnEvents = pgTable(
  "turn_events",
  {
    userId: userId(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    turnId: uuid("turn_id").notNull(),
    firstSequence: integer("first_sequence").notNull(),
    lastSequence: integer("last_sequence").notNull(),
    /** As `encodeEvents` writes them. Text, because the database never looks into it. */
    events: text("events").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.turnId, table.firstSequence] }),
    index("turn_events_age_index").on(table.userId, table.createdAt),
    ownedBy("turn_events_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);
