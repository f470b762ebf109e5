// Reads the versions of the server and of pgvector, and whether the schema is the one that this program knows.
// Invariant: reads only the catalog, so it works before any migration.
import { StoreError } from "../../base/errors.ts";
import type { DatabaseFacts } from "../port/inspection.ts";
import type { Database } from "../connection/database.ts";
import { isMigrationDue, newestMigration, packageMigrations } from "../embedded/migration-journal.ts";
import type { Transaction } from "../connection/transaction.ts";

interface VersionRow {
  readonly server: string;
  readonly vector: string | null;
  readonly is_migrated: boolean;
}

const versions = `
select current_setting('server_version') as server,
  (select extversion from pg_extension where extname = 'vector') as vector,
  to_regclass('drizzle.__drizzle_migrations') is not null as is_migrated`;

/** Run as the owner, who may read the journal of the migrations. */
export async function readDatabaseFacts(owner: Database): Promise<DatabaseFacts> {
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
