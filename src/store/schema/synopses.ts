// Table: the synopsis of what an agent's archive says of a user, in two parts with lifetimes of their own.
// Invariant: content never outlives a passage that it was made from: a trigger empties the row (src/store/sql/functions/forget-synopses.sql).
import { sql } from "drizzle-orm";
import { check, doublePrecision, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { grantKey } from "./agents.ts";
import { agentId, moment, trust, userId } from "./columns.ts";

export const synopses = pgTable(
  "synopses",
  {
    userId: userId(),
    agentId: agentId(),
    part: text("part", { enum: ["identity", "context"] }).notNull(),
    /** Who makes it anew at the moment; null: nobody. */
    claim: uuid("claim"),
    /** Until then nobody begins to make it anew, unless a person asks for it. */
    nextRefreshAt: moment("next_refresh_at").notNull(),
    /** Null until it is made, and again when a passage that it was made from is deleted. */
    content: jsonb("content"),
    /** Of the content: the lowest class of the passages that it was made from, `model` at best. */
    trust: trust(),
    madeAt: moment("made_at"),
    expiresAt: moment("expires_at"),
    /** The ids of the passages that it was made from. */
    passages: uuid("passages").array().notNull().default(sql`'{}'`),
    /** Passages of the archive that there was no room for. */
    leftOut: integer("left_out").notNull().default(0),
    /** Tokens of the passages that it was made from, and of the part as the prompt shows it. */
    memoryTokens: integer("memory_tokens").notNull().default(0),
    tokens: integer("tokens").notNull().default(0),
    /** What wrote it, and what that call used; parts that were made together have one call. */
    model: text("model"),
    inputTokens: integer("input_tokens").notNull().default(0),
    outputTokens: integer("output_tokens").notNull().default(0),
    cachedInputTokens: integer("cached_input_tokens").notNull().default(0),
    /** Null when the price was not known. */
    dollars: doublePrecision("dollars"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId, table.part] }),
    grantKey("synopses_grant_fkey", table),
    check(
      "synopses_content_check",
      sql`content is null or num_nonnulls(made_at, expires_at, model) = 3 and cardinality(passages) > 0`,
    ),
  ],
);
