// Examines a store's folder, lock, database and rows, each independently.
// Invariant: a server's schema is not migrated, and queries over all users run only as the owner of the tables. Versions are
// read from the catalog only, since the schema may be missing; table statistics are not used, since the embedded engine never
// updates them.
import { chmodSync } from "node:fs";
import type { Log } from "../../base/log.ts";
import type { DatabaseFacts, InspectedStore, NamedObject, ObjectFaults, StoreInspector } from "../port/inspection.ts";
import type { DatabaseConnection } from "../connection/database-client.ts";
import { type Database, openDatabase } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { findStoreFolder } from "../embedded/store-folder.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createUserStore, type StoreOptions } from "../open-store.ts";
import { requireIsolation } from "../connection/runtime-role.ts";
import { requireUserId } from "../connection/user-id.ts";
import { findOrphans } from "./references.ts";
import { inspectFolder, inspectLock, removeForeignLock } from "./inspect-folder.ts";
import { probeDistance } from "./probe-distance.ts";
import { namedObjects } from "../objects/named-objects.ts";
import type { VectorTable } from "../port/upkeep.ts";
import { listVectorTables, minIndexedVectors, stateOf, type VectorTableRow } from "../upkeep/vector-index.ts";
import { StoreError } from "../../base/errors.ts";
import { isMigrationDue, newestMigration, packageMigrations } from "../embedded/migration-journal.ts";

/** Returns an inspector. Creating it opens no folder and no database. */
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

async function inspectDatabase(
  connection: DatabaseConnection,
  { migrationUrl, log }: { readonly migrationUrl: string | undefined; readonly log: Log | undefined },
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
    externalObjects: () => forOwner(owner, (tx) => tx.run<NamedObject>(listExternal, [])),
    probeDistance: () => probeDistance(connection),
    as: (userId) => createUserStore(database, requireUserId(userId)),
    async close() {
      if (owner !== database) await owner.close();
      await database.close();
    },
  };
}

/** Runs `find` as the owner of the tables, and returns its result; null if the role does not own them. */
async function forOwner<Found>(owner: Database, find: (tx: Transaction) => Promise<Found>): Promise<Found | null> {
  try {
    return await owner.ownerTransaction(find);
  } catch (error) {
    // SQLSTATE 42501: the role may not read the tables, or the policies would hide rows from it.
    if (sqlStateOf(error) === "42501") return null;
    throw error;
  }
}

const countFaults = `
with named as materialized (select * from (${namedObjects}) n where place = 'database'),
kept as materialized (
  select user_id, key, sum(octet_length(data))::int as bytes from object_parts group by user_id, key
)
select
  (select count(*)::int from named where is_stored) as objects,
  (select count(*)::int from named n
   where is_stored and not exists (
     select from kept k where k.user_id = n.user_id and k.key = n.object_key and k.bytes = n.bytes)) as missing,
  (select count(*)::int from kept k
   where not exists (select from named n where n.user_id = k.user_id and n.object_key = k.key)) as unreferenced`;

async function findObjectFaults(tx: Transaction): Promise<ObjectFaults> {
  const [row] = await tx.run<ObjectFaults>(countFaults, []);
  return row!;
}

// An object that `object_deletions` lists may be missing: it is still being written, or its deletion is due.
const listExternal = `
select user_id as "userId", place, object_key as "key", is_stored as "isRequired", false as "isLeft"
from (${namedObjects}) n where place <> 'database'
union all
select user_id, place, object_key, false,
  due_at <= now() and not exists (select from users u where u.user_id = d.user_id)
from object_deletions d`;

/**
 * Returns the large vector tables that have no index, and all vector tables with a broken index. Must run as the owner of the
 * tables, which sees every user's rows. Counting the vectors of a table stops at `minIndexedVectors`.
 */
async function findWithoutIndex(tx: Transaction): Promise<readonly VectorTable[]> {
  const found: VectorTable[] = [];
  for (const row of await tx.run<VectorTableRow>(listVectorTables, [])) {
    const index = stateOf(row);
    if (index === "ready" || index === "too-wide") continue;
    const vectors = await countUpToLimit(tx, row.table);
    const { table, dimensions } = row;
    if (index === "broken" || vectors >= minIndexedVectors) found.push({ table, dimensions, vectors, index });
  }
  return found;
}

async function countUpToLimit(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx.run<{ readonly vectors: number }>(
    `select count(*)::int as vectors from (select from "${table}" limit $1::int) counted`,
    [minIndexedVectors],
  );
  return row!.vectors;
}

interface VersionRow {
  readonly server: string;
  readonly vector: string | null;
  readonly is_migrated: boolean;
}

const versions = `
select current_setting('server_version') as server,
  (select extversion from pg_extension where extname = 'vector') as vector,
  to_regclass('drizzle.__drizzle_migrations') is not null as is_migrated`;

/** Returns facts about the database. Runs as the owner, because only that role may read the table of applied migrations. */
async function readDatabaseFacts(owner: Database): Promise<DatabaseFacts> {
  return owner.ownerTransaction(async (tx) => {
    const [row] = await tx.run<VersionRow>(versions, []);
    return {
      serverVersion: row!.server,
      vectorVersion: row!.vector,
      schema: row!.is_migrated ? await compareSchema(tx) : "missing",
      newestMigration: newestMigration(packageMigrations()).tag,
    };
  });
}

async function compareSchema(tx: Transaction): Promise<DatabaseFacts["schema"]> {
  try {
    const isDue = await isMigrationDue(packageMigrations(), (statement) =>
      tx.run(statement, []).then((rows) => [...rows] as Record<string, unknown>[]),
    );
    return isDue ? "older" : "current";
  } catch (error) {
    if (error instanceof StoreError && error.code === "store_schema_newer") return "newer";
    if (error instanceof StoreError && error.code === "store_schema_unknown") return "unknown";
    throw error;
  }
}
