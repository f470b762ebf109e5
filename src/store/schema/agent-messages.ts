// The table of messages that agents write to each other.
// Invariant: a call writes at most one message to each agent, and a message has at most one answer. A row is deleted with the
// conversation in which the message was written, but not with the receiving agent, so that a call that waits for an answer
// learns how the message ended.
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { agentMessageFields, maxChain, maxHops } from "../port/agent-message-store.ts";
import { agentId, createdAt, moment, ownedBy, trust, userId, uuid } from "./columns.ts";
import { conversationKey } from "./conversations.ts";

export const agentMessages = pgTable(
  "agent_messages",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    conversationId: uuid("conversation_id").notNull(),
    /** The call that wrote the message; null for the text of a turn that was stored as an answer. */
    callMessageId: uuid("call_message_id"),
    callId: text("call_id"),
    toAgentId: uuid("to_agent_id").notNull(),
    toConversationId: uuid("to_conversation_id"),
    turnId: uuid("turn_id"),
    chainId: uuid("chain_id").notNull(),
    hop: integer("hop").notNull(),
    budget: integer("budget").notNull(),
    path: jsonb("path").$type<readonly string[]>().notNull(),
    answers: uuid("answers"),
    waits: boolean("waits").notNull(),
    text: text("text").notNull(),
    trust: trust(),
    status: text("status", { enum: agentMessageFields.status.values }).notNull(),
    outcome: text("outcome"),
    createdAt: createdAt(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    uniqueIndex("agent_messages_call_key").on(table.userId, table.callMessageId, table.callId, table.toAgentId),
    uniqueIndex("agent_messages_answer_key").on(table.userId, table.answers).where(sql`answers is not null`),
    index("agent_messages_chain_index").on(table.userId, table.chainId),
    index("agent_messages_conversation_index").on(table.userId, table.conversationId),
    index("agent_messages_agent_index").on(table.userId, table.toAgentId, table.id),
    index("agent_messages_open_index").on(table.userId, table.id).where(sql`status <> 'ended'`),
    check(
      "agent_messages_hop_check",
      sql.raw(`hop between 1 and ${maxHops} or answers is not null and hop = ${maxHops + 1}`),
    ),
    check("agent_messages_budget_check", sql.raw(`budget between 0 and ${maxChain}`)),
    ownedBy("agent_messages_conversation_fkey", [table.userId, table.conversationId, table.agentId], conversationKey),
  ],
);
