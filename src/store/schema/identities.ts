// The table of identities: people and organizations that a user's agents talk to.
// Invariant: a key is unique per user.
import { pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { type Identity, identityFields } from "../port/identity-store.ts";
import { users } from "./agents.ts";
import { createdAt, jsonText, userId, uuid } from "./columns.ts";

export const identities = pgTable(
  "identities",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    key: text("identifier_key").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: identityFields.kind.values }).notNull(),
    /** A JSON array. */
    properties: jsonText<Identity["properties"]>("properties").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    unique("identities_key_key").on(table.userId, table.key),
  ],
);
