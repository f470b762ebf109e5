// The columns that every table has, and PostgreSQL types that drizzle has no name for.
// Invariant: every table has `user_id`, not null, and it leads the key, so that rows can be isolated and distributed by user.
import { sql } from "drizzle-orm";
import type { ExternalSource } from "../../message/message.ts";
import { customType, jsonb, text, timestamp, uuid } from "drizzle-orm/pg-core";

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

/** Lexemes that PostgreSQL's parser does not make (src/store/search/lexical-terms.ts); null when there are none. */
export const terms = () => tsvector("terms");

// `plain_words` is a function of the database's: the text without what the parser takes for tags, addresses and file names, cut at
// 100,000 characters, since a tsvector holds at most 1 MB. What comes after is found literally.
/** The words of `search_text` and its `terms`, for searches by word. */
export const searchWords = () =>
  tsvector("words").generatedAlwaysAs(
    sql`setweight(to_tsvector('english'::regconfig, plain_words(search_text)), 'A') || coalesce(terms, '')`,
  );

/** References to what from outside was in a window, without its text; none for what nobody outside had a part in. */
export const external = () => jsonb("external").$type<readonly ExternalSource[]>().notNull().default([]);
