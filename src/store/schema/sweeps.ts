// Table: what retention has dropped, so that nothing disappears without a record.
// Invariant: dropped rows are counted here in the transaction that drops them.
import { index, integer, jsonb, pgTable, primaryKey } from "drizzle-orm/pg-core";
import type { RetentionSettings } from "../port/retention-store.ts";
import { grantKey } from "./agents.ts";
import { agentId, moment, userId, uuid } from "./columns.ts";

export const sweeps = pgTable(
  "sweeps",
  {
    userId: userId(),
    id: uuid("id").notNull(),
    agentId: agentId(),
    limits: jsonb("limits").$type<RetentionSettings>().notNull(),
    messages: integer("messages").notNull().default(0),
    messagesThrough: moment("messages_through"),
    revisions: integer("revisions").notNull().default(0),
    revisionsThrough: moment("revisions_through"),
    steps: integer("steps").notNull().default(0),
    stepsThrough: moment("steps_through"),
    passages: integer("passages").notNull().default(0),
    passagesThrough: moment("passages_through"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index("sweeps_newest_index").on(table.userId, table.agentId, table.createdAt),
    grantKey("sweeps_grant_fkey", table),
  ],
);
