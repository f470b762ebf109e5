// Columns that every table has, and PostgreSQL types that drizzle does not define.
// Invariant: every table has `user_id`, not null, as the first column of its key, so that rows can be isolated and
// distributed by user.
import { sql } from "drizzle-orm";
import type { ModuleRecord } from "../port/records.ts";
import type { ExternalSource } from "../../base/message/message.ts";
import { type AnyPgColumn, customType, foreignKey, jsonb, text, uuid as plainUuid } from "drizzle-orm/pg-core";
import { storableJson } from "../../base/code-points.ts";
import { storableId, timeText } from "../stored-values.ts";

/** The trust class of a text; the default is the lowest class, `external`. */
export const trust = () =>
  text("trust", { enum: ["user", "model", "external"] })
    .notNull()
    .default("external");

/** The trust class of each line of a text; null if each has the class of the text. */
export const lineTrust = () => jsonb("line_trust").$type<ModuleRecord["lineTrust"]>();

/** A `tsvector`, for searches by word. Only hand-written SQL reads such a column. */
export const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/** Bytes, written as `\x…`. */
export const bytea = customType<{ data: string }>({ dataType: () => "bytea" });

/** A UUID. Comparing the column with a text that is not a UUID matches no row, instead of failing. */
export const uuid = customType<{ data: string; driverData: string }>({ dataType: () => "uuid", toDriver: storableId });

/** UUIDs as an array. */
export const uuids = (name: string) => plainUuid(name).array();

/**
 * A JSON value as text: PostgreSQL keeps the order of its fields, and a forgetting rewrites it like any other text.
 * Hand-written statements read it with a cast to `json`.
 */
export const jsonText = <Value>(name: string) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    fromDriver: (text) => JSON.parse(text) as Value,
    toDriver: storableJson,
  })(name);

/** A JSON object that only the caller interprets. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The user who owns the row. */
export const userId = () => text("user_id").notNull();

export const agentId = () => uuid("agent_id").notNull();

/** A timestamp in milliseconds, the precision of a Date. Used instead of drizzle's own type, which reads the year 1 as 2001. */
export const moment = customType<{ data: Date; driverData: string | Date }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: (read) => read as Date,
  toDriver: timeText,
});

/** A time with the database's clock as its default. */
export const momentOrNow = (name: string) => moment(name).notNull().default(sql`now()`);

export const createdAt = () => momentOrNow("created_at");

/** Search terms that PostgreSQL's parser does not produce (src/store/search/lexical-terms.ts); null if there are none. */
export const terms = () => tsvector("terms");

// `plain_words` is a database function: it removes what the parser would take for tags, addresses and file names, and cuts
// the text at 100,000 characters, since a tsvector holds at most 1 MB. Text after the cut is found only by a literal query.
/** The words of `search_text` and its `terms`, for searches by word. */
export const searchWords = () =>
  tsvector("words").generatedAlwaysAs(
    sql`setweight(to_tsvector('english'::regconfig, plain_words(search_text)), 'A') || coalesce(terms, '')`,
  );

/** The external sources that were in the window, without their text; empty if there were none. */
export const external = () => jsonb("external").$type<readonly ExternalSource[]>().notNull().default([]);

type Columns = readonly [AnyPgColumn, ...AnyPgColumn[]];

/** Returns a foreign key with `on delete cascade`: rows are deleted with the row that they reference. */
export function ownedBy(name: string, columns: Columns, foreignColumns: Columns) {
  return foreignKey({ name, columns: [...columns], foreignColumns: [...foreignColumns] }).onDelete("cascade");
}
