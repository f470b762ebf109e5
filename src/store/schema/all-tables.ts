// All tables of the schema.
import { is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../schema.ts";
import { recordTables } from "./records.ts";

/** Every table. The vector tables, one per number of dimensions, are not included: the database creates them. */
export const allTables: readonly PgTable[] = Object.values<unknown>({ ...schema, ...recordTables }).filter((table) =>
  is(table, PgTable),
);
