// Examines a store's folder, lock, database and rows, each independently.
// Invariant: nothing is migrated on a server, and queries over all users run only as the owner of the tables.
import { chmodSync } from "node:fs";
import type { InspectedStore, StoreInspector } from "../port/inspection.ts";
import type { DatabaseConnection, Log } from "../connection/database-client.ts";
import { type Database, openDatabase } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { findStoreFolder } from "../embedded/store-folder.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createUserStore, type StoreOptions } from "../open-store.ts";
import { requireIsolation } from "../connection/runtime-role.ts";
import { requireUserId } from "../connection/user-id.ts";
import { findObjectFaults, listExternalObjects } from "./find-object-faults.ts";
import { findOrphans } from "./find-orphans.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { inspectLock, removeForeignLock } from "./inspect-lock.ts";
import { findWithoutIndex } from "./find-without-index.ts";
import { probeDistance } from "./probe-distance.ts";
import { readDatabaseFacts } from "./read-database-facts.ts";

/** Opens nothing yet. */
export function createStoreInspector({ connection, migrationUrl, log }: StoreOptions): StoreInspector {
  const path = connection.kind === "embedded" ? connection.folder : null;
  const found = () => (path === null ? undefined : findStoreFolder(path));
  return {
    folder: async () => (path === null ? null : inspectFolder(path)),
    async lock() {
      if (path === null) return null;
      const folder = found();
      return folder === undefined ? { kind: "free" } : inspectLock(folder);
    },
    async makePrivate() {
      const folder = found();
      if (folder !== undefined) chmodSync(folder.root, 0o700);
    },
    async unlock() {
      const folder = found();
      if (folder !== undefined) await removeForeignLock(folder);
    },
    open: () => inspectDatabase(connection, { migrationUrl, log }),
  };
}

interface InspectionOptions {
  readonly migrationUrl: string | undefined;
  readonly log: Log | undefined;
}

async function inspectDatabase(
  connection: DatabaseConnection,
  { migrationUrl, log }: InspectionOptions,
): Promise<InspectedStore> {
  const shared = log === undefined ? {} : { log };
  const database = await openDatabase({ connection, ...shared });
  const owner =
    migrationUrl === undefined || connection.kind === "embedded"
      ? database
      : await openDatabase({ connection: { kind: "server", url: migrationUrl } });
  return {
    facts: () => readDatabaseFacts(owner),
    requireIsolation: () => requireIsolation(database),
    orphans: () => forOwner(owner, findOrphans),
    withoutIndex: () => forOwner(owner, findWithoutIndex),
    objectFaults: () => forOwner(owner, findObjectFaults),
    externalObjects: () => forOwner(owner, listExternalObjects),
    probeDistance: () => probeDistance(connection),
    as: (userId) => createUserStore(database, requireUserId(userId)),
    async close() {
      if (owner !== database) await owner.close();
      await database.close();
    },
  };
}

/** Returns null for a role that does not own the tables. */
async function forOwner<Found>(owner: Database, find: (tx: Transaction) => Promise<Found>): Promise<Found | null> {
  try {
    return await owner.ownerTransaction(find);
  } catch (error) {
    // No permission to read the tables, or not without the policies.
    if (sqlStateOf(error) === "42501") return null;
    throw error;
  }
}
