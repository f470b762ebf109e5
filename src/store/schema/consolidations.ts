// The table of consolidations: each run with the end of its input, its operations with their status, and its cost.
// Invariant: an agent has at most one running run per user.
import { sql } from "drizzle-orm";
import { check, doublePrecision, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Usage } from "../../base/message/message.ts";
import {
  consolidationFields,
  type ConsolidationOperation,
  type ConsolidationRanges,
  type ConsolidationSignals,
} from "../port/consolidation-store.ts";
import { grantKey } from "./agents.ts";
import { agentId, createdAt, jsonText, moment, userId, uuid } from "./columns.ts";

export const consolidations = pgTable(
  "consolidations",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    status: text("status", { enum: consolidationFields.status.values }).notNull(),
    /** When another process may take over the run; null once it has ended. */
    claimedUntil: moment("claimed_until"),
    signals: jsonb("signals").$type<ConsolidationSignals>().notNull(),
    ranges: jsonb("ranges").$type<ConsolidationRanges>().notNull(),
    operations: jsonText<readonly ConsolidationOperation[]>("operations").notNull().default(sql`'[]'`),
    reason: text("reason"),
    model: text("model").notNull(),
    usage: jsonb("usage")
      .$type<Usage>()
      .notNull()
      .default(sql`'{"inputTokens":0,"outputTokens":0,"cachedInputTokens":0}'`),
    dollars: doublePrecision("dollars"),
    createdAt: createdAt(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    grantKey("consolidations_grant_fkey", table),
    index("consolidations_agent_index").on(table.userId, table.agentId, table.id),
    uniqueIndex("consolidations_running_key").on(table.userId, table.agentId).where(sql`status = 'running'`),
    check("consolidations_ended_check", sql`(status = 'running') = (ended_at is null)`),
  ],
);
