// Table: the forgettings that were requested, with their times and origins.
// Invariant: a row has the texts to forget only while the forgetting is deferred; the transaction that forgets them
// also removes them from the row.
import { sql } from "drizzle-orm";
import { check, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { ForgettingRecord } from "../port/forgetting-store.ts";
import { users } from "./agents.ts";
import { moment, userId, uuid } from "./columns.ts";

export const forgettings = pgTable(
  "forgettings",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    origin: text("origin", { enum: ["user", "api", "model"] }).notNull(),
    /** The texts to forget; null once they are forgotten. */
    texts: jsonb("texts").$type<readonly string[]>(),
    /** Number of places from which content was removed, by kind; empty until the content is removed. */
    counts: jsonb("counts").$type<ForgettingRecord["counts"]>().notNull().default({}),
    requestedAt: moment("requested_at").notNull(),
    appliedAt: moment("applied_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    check("forgettings_texts_check", sql`(texts is null) = (applied_at is not null)`),
  ],
);
