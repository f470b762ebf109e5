// Table: the keys that identify a user to a server.
// Invariant: a secret is never stored, only its hash, from which the secret's 256 random bits cannot be guessed.
import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { keyFields } from "../port/key-store.ts";
import { grantKey, users } from "./agents.ts";
import { createdAt, moment, userId, uuid } from "./columns.ts";

export const keys = pgTable(
  "keys",
  {
    userId: userId().references(() => users.userId, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    name: text("name").notNull(),
    /** SHA-256 of the secret, in hexadecimal. */
    hash: text("hash").notNull(),
    /** The first characters of the secret, to recognize it in a list. */
    prefix: text("prefix").notNull(),
    scope: text("scope", { enum: keyFields.scope.values }).notNull(),
    /** The only agent that the key is for; null: every agent. */
    agentId: uuid("agent_id"),
    createdAt: createdAt(),
    lastUsedAt: moment("last_used_at"),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    // Not a unique index, because in a partitioned table it would have to contain the user, which is not known before the
    // lookup.
    index("keys_hash_index").on(table.hash),
    grantKey("keys_grant_fkey", table),
    check("keys_scope_check", sql`scope in ('read', 'chat', 'admin')`),
    check("keys_hash_check", sql`hash ~ '^[0-9a-f]{64}$'`),
  ],
);
