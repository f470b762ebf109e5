// Checks the database: its connection, schema, isolation of users, orphans and indexes.
// Invariant: a failed check does not prevent the other checks.
import type { DatabaseFacts, InspectedStore, Orphans } from "../../store/port/inspection.ts";
import type { VectorTable } from "../../store/port/upkeep.ts";
import type { Finding } from "./contract.ts";
import { failed, failedBy, failing, ok, warning } from "./finding.ts";

/** The findings on the database, and whether the schema allows the checks of rows. */
export interface DatabaseExamination {
  readonly findings: readonly Finding[];
  readonly hasSchema: boolean;
}

export async function examineDatabase(store: InspectedStore): Promise<DatabaseExamination> {
  let facts: DatabaseFacts;
  try {
    facts = await store.facts();
  } catch (error) {
    return { findings: [failedBy("database", error)], hasSchema: false };
  }
  const known = [serverFinding(facts), vectorFinding(facts), schemaFinding(facts)];
  if (facts.schema !== "current") return { findings: known, hasSchema: false };
  return {
    findings: [
      ...known,
      await roleFinding(store).catch(failing("role")),
      await orphanFinding(store).catch(failing("orphans")),
      await indexFinding(store).catch(failing("indexes")),
    ],
    hasSchema: true,
  };
}

/** The oldest major version of PostgreSQL that supports all statements. */
const oldestServer = 15;

/** The oldest version of pgvector that Palimpsest is tested with. */
const oldestVector = [0, 8] as const;

function serverFinding({ serverVersion }: DatabaseFacts): Finding {
  if (Number.parseInt(serverVersion, 10) < oldestServer) {
    const found = `PostgreSQL ${serverVersion} answers, but is older than ${oldestServer}.`;
    return warning("database", found, `Upgrade the server to PostgreSQL ${oldestServer} or later.`);
  }
  return ok("database", `PostgreSQL ${serverVersion} answers.`);
}

function vectorFinding({ vectorVersion }: DatabaseFacts): Finding {
  if (vectorVersion !== null) return vectorVersionFinding(vectorVersion);
  const advice = "Start `palimpsest` once: it installs the extension, or shows the statement for an administrator.";
  return warning("pgvector", "pgvector is not installed in the database.", advice);
}

function vectorVersionFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor, oldMinor] = oldestVector;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) {
    return ok("pgvector", `pgvector ${version} is installed in the database.`);
  }
  return warning(
    "pgvector",
    `pgvector ${version} is installed in the database, but is older than ${oldestVector.join(".")}.`,
    "Install a newer pgvector on the server, then run ALTER EXTENSION vector UPDATE in the database as a superuser.",
  );
}

function schemaFinding({ schema, newestMigration }: DatabaseFacts): Finding {
  switch (schema) {
    case "current":
      return ok("schema", `The schema is up to date (${newestMigration}).`);
    case "missing":
      return warning("schema", "The database has no tables of palimpsest yet.", "The next start creates the tables.");
    case "older":
      return warning(
        "schema",
        `The schema is older than this version of Palimpsest needs (${newestMigration}).`,
        "The next start migrates the schema.",
      );
    case "newer":
      return failed("schema", "The database was written by a newer version of palimpsest.", "Upgrade palimpsest.");
    case "unknown":
      return failed(
        "schema",
        `The schema has a migration that this version does not have (its newest is ${newestMigration}).`,
        "Use another data folder or database, or the version of palimpsest that created this one.",
      );
  }
}

async function roleFinding(store: InspectedStore): Promise<Finding> {
  await store.requireIsolation();
  return ok("role", "Queries run as palimpsest_runtime, which owns no table and is bound by every policy.");
}

async function orphanFinding(store: InspectedStore): Promise<Finding> {
  const orphans = await store.orphans();
  if (orphans === null) {
    const advice = "Set PALIMPSEST_MIGRATION_URL to the URL of the tables' owner to check the rows of all users.";
    return warning("orphans", "Orphaned rows cannot be searched for: this role does not own the tables.", advice);
  }
  if (orphans.length === 0)
    return ok("orphans", "No row references a user, an agent, a conversation or anything else that does not exist.");
  const found = `Some rows reference missing records: ${orphans.map(orphanText).join("; ")}.`;
  return failed(
    "orphans",
    found,
    "Make a backup, then delete these rows as the owner of the tables: nothing uses them.",
  );
}

function orphanText({ table, columns, missing, rows }: Orphans): string {
  return `${rows} of ${table} (${columns}, not in ${missing})`;
}

async function indexFinding(store: InspectedStore): Promise<Finding> {
  const tables = await store.withoutIndex();
  if (tables === null) {
    const found = "Missing vector indexes cannot be determined: this role does not own the tables.";
    const advice =
      "Set PALIMPSEST_MIGRATION_URL to the URL of the tables' owner. `palimpsest optimize` needs it too, and builds the missing indexes.";
    return warning("indexes", found, advice);
  }
  if (tables.length === 0) return ok("indexes", "Every vector table that is large enough for an index has one.");
  return warning(
    "indexes",
    `Searches compare every vector of large tables: ${tables.map(unindexedText).join("; ")}.`,
    "Run `palimpsest optimize` to build the index. It is never built automatically, because that takes minutes and inserts are slower " +
      "afterwards: schedule it every night on a server, and run it on the embedded engine when nothing else uses it.",
  );
}

function unindexedText({ table, index }: VectorTable): string {
  return index === "broken" ? `${table} has an invalid index` : `${table} has no index`;
}

/**
 * Checks that the database computes distances between vectors. This check is the last, because a server that fails it may
 * restart and drop every connection.
 */
export async function distanceFinding(store: InspectedStore): Promise<Finding> {
  const check = "distances";
  const { kind, dimensions } = await store.probeDistance();
  switch (kind) {
    case "right":
      return ok(check, `pgvector computes distances of ${dimensions} dimensions.`);
    case "wrong":
      return failed(
        check,
        `pgvector computes wrong distances of ${dimensions} dimensions on this server.`,
        "Reinstall pgvector from a package for this server's PostgreSQL and processor.",
      );
    case "ended":
      return failed(
        check,
        `pgvector on this server was built for another processor: the server ended the connection when it computed a distance of ${dimensions} dimensions.`,
        'Install a pgvector that was built for this processor (its Makefile takes OPTFLAGS=""). Until then every search by meaning ends its connection, and may restart the server.',
      );
  }
}
