// The columns that every table has, and PostgreSQL types that drizzle has no name for.
// Invariant: every table has `user_id`, not null, and it leads the key, so that rows can be isolated and distributed by user.
import { sql } from "drizzle-orm";
import { customType, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** How far a text can be trusted; what was written without saying so, not at all. */
export const trust = () =>
  text("trust", { enum: ["user", "model", "external"] })
    .notNull()
    .default("external");

/** Lexemes of a text. Selected only by hand-made SQL. */
export const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/** Bytes, written as `\x…`. */
export const bytea = customType<{ data: string }>({ dataType: () => "bytea" });

/** Whose row it is. */
export const userId = () => text("user_id").notNull();

export const agentId = () => uuid("agent_id").notNull();

/** A moment to the millisecond, which is what a Date can hold; the database's clock unless given. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const createdAt = () => moment("created_at").notNull().defaultNow();

// A tsvector holds at most 1 MB; 100,000 characters stay below that whatever they are. What comes after is found literally.
/** The words of `search_text`, for searches by word. */
export const wordsOfSearchText = () =>
  tsvector("words").generatedAlwaysAs(sql`to_tsvector('english'::regconfig, left(search_text, 100000))`);
