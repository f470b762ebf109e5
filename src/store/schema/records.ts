// The tables of simple records. src/store/record-stores.ts derives the statements from them.
// Invariant: a table has a column for each field of its records.
import { type PgTable, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { type Identity, identityFields } from "../port/identity-store.ts";
import type { RecordStores } from "../port/record-kinds.ts";
import type { RecordStore } from "../port/record-store.ts";
import { users } from "./agents.ts";
import { createdAt, jsonText, userId, uuid } from "./columns.ts";

/** People and organizations that a user's agents talk to. */
export const identities = pgTable(
  "identities",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    key: text("identifier_key").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: identityFields.kind.values }).notNull(),
    properties: jsonText<Identity["properties"]>("properties").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("identities_key_key").on(table.userId, table.key),
  ],
);

type TableOf<Store> =
  Store extends RecordStore<infer Of, never>
    ? PgTable & { readonly $inferSelect: Of & { readonly userId: string } }
    : never;

export const recordTables = { identities } satisfies {
  readonly [Name in keyof RecordStores]: TableOf<RecordStores[Name]>;
};
