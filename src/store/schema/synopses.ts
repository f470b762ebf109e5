// Table: synopses of what an agent's archive says about a user, in two parts with separate lifetimes.
// Invariant: content never outlives a passage that it was made from: a trigger empties the row
// (src/store/sql/functions/forget-synopses.sql).
import { sql } from "drizzle-orm";
import { check, doublePrecision, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { grantKey } from "./agents.ts";
import { agentId, moment, trust, userId, uuid, uuids } from "./columns.ts";

export const synopses = pgTable(
  "synopses",
  {
    userId: userId(),
    agentId: agentId(),
    part: text("part", { enum: ["identity", "context"] }).notNull(),
    /** The claim of the process that is regenerating the part; null if none is. */
    claim: uuid("claim"),
    /** Before this time no process starts to regenerate the part, unless the user requests it. */
    nextRefreshAt: moment("next_refresh_at").notNull(),
    /** Null until the part is made, and after a passage from which it was made is deleted. */
    content: jsonb("content"),
    /** Trust class of the content: the lowest of `model` and the classes of its passages. */
    trust: trust(),
    at: moment("made_at"),
    expiresAt: moment("expires_at"),
    /** Ids of the passages from which the part was made. */
    passages: uuids("passages").notNull().default(sql`'{}'`),
    /** Number of passages of the archive that were not given to the model. */
    leftOut: integer("left_out").notNull().default(0),
    /** Tokens of the passages from which the part was made, and tokens of the part in the prompt. */
    memoryTokens: integer("memory_tokens").notNull().default(0),
    tokens: integer("tokens").notNull().default(0),
    /** The model that wrote the part, and the usage of its call. Parts that were made together come from one call. */
    model: text("model"),
    inputTokens: integer("input_tokens").notNull().default(0),
    outputTokens: integer("output_tokens").notNull().default(0),
    cachedInputTokens: integer("cached_input_tokens").notNull().default(0),
    /** Cost of the model call in US dollars; null if the price was unknown. */
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
