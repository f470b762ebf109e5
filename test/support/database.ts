// Empty, migrated databases for tests: on the server of TEST_DATABASE_URL, on the embedded engine that test files share, or
// embedded in a folder of its own.
// Invariant: each has a database that nothing else uses, and nothing of it is left after `close`.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { packageRoot } from "../../src/base/package-root.ts";
import type { Store, UserStore } from "../../src/store/port/store.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import type { DatabaseConnection } from "../../src/store/connection/database-client.ts";
import { migrateDatabase } from "../../src/store/connection/migrate.ts";
import { openStore } from "../../src/store/open-store.ts";
import { copyTemplate } from "./embedded-template.ts";
import { writePartitionedMigrations } from "./partitioned-migrations.ts";
import { takeSharedDatabase } from "./shared-database.ts";
import { useScene } from "./use-scene.ts";

/** A server or a folder, but not a pool. */
export type TestConnection = Exclude<DatabaseConnection, { readonly kind: "pool" }>;

export interface TestDatabase {
  readonly connection: TestConnection;
  /** Removes the database. Everything that uses it must be closed. */
  remove(): Promise<void>;
}

export interface TestStore {
  readonly store: Store;
  readonly connection: TestConnection;
  /** Runs a statement as the owner of the tables, who sees every user's rows. */
  ownerRows<Row>(statement: string, parameters?: readonly (string | number | null)[]): Promise<readonly Row[]>;
  /** Runs a statement under the policies, as the runtime does for this user. */
  userRows<Row>(
    userId: string,
    statement: string,
    parameters: readonly (string | number | null)[],
  ): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const serverUrl = process.env["TEST_DATABASE_URL"];

/** Into how many partitions each table is split by user; 0: not at all. Only on a real server. */
export const partitions = Number(process.env["TEST_PARTITIONS"] ?? "0");

const poolerUrl = process.env["TEST_POOLER_URL"] ?? "";

/** Whether stores connect through a transaction pooler. Databases are created without it. */
export const isPooled = poolerUrl !== "";

/** Whether the tests run on a real server, which has concurrency that the embedded engine has not. */
export const isOnServer = serverUrl !== undefined && serverUrl !== "";

/**
 * An empty database with the schema in it. `isOwn`: with an engine of its own, for a test that starts, stops, breaks or measures
 * the engine itself, or that was not yet tried on the shared one.
 */
export async function createTestDatabase({ isOwn = false } = {}): Promise<TestDatabase> {
  if (isOnServer) return cloneTemplate(serverUrl!);
  const shared = isOwn ? undefined : await takeSharedDatabase();
  if (shared !== undefined) return shared;
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-test-"));
  await copyTemplate(folder);
  return {
    connection: { kind: "embedded", folder, host: "worker" },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The options of a runtime or a host that name the database. */
export const placeOf = ({ connection }: Pick<TestDatabase, "connection">) =>
  connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };

/** A store on an empty database. */
export async function openTestStore(options: { readonly isOwn?: boolean } = {}): Promise<TestStore> {
  const { connection, remove } = await createTestDatabase(options);
  const store = await openStore({ connection });
  let owner: Database | null = null;
  return {
    store,
    connection,
    async ownerRows<Row>(statement: string, parameters: readonly (string | number | null)[] = []) {
      owner ??= await openDatabase({ connection });
      return owner.ownerTransaction((tx) => tx.run<Row>(statement, parameters));
    },
    async userRows<Row>(userId: string, statement: string, parameters: readonly (string | number | null)[]) {
      owner ??= await openDatabase({ connection });
      return owner.transaction(userId, (tx) => tx.run<Row>(statement, parameters));
    },
    async close() {
      await owner?.close();
      await store.close();
      await remove();
    },
  };
}

/** A database that the tests of a file share. */
export const useDatabase = (options: { readonly isOwn?: boolean } = {}): TestDatabase =>
  useScene(async () => {
    const database = await createTestDatabase(options);
    return { ...database, close: () => database.remove() };
  });

/** A store that the tests of a file share, and three of its users. */
export function useStore(options: { readonly isOwn?: boolean } = {}) {
  const test = useScene(() => openTestStore(options));
  const as = (userId: string): UserStore => {
    let user: UserStore | undefined;
    return new Proxy({} as UserStore, {
      get: (_, name) => Reflect.get((user ??= test.store.as(userId)), name) as unknown,
    });
  };
  return { test, ada: as("ada"), ben: as("ben"), eve: as("eve") };
}

async function cloneTemplate(url: string): Promise<TestDatabase> {
  const template = await ensureTemplate(url);
  const name = `palimpsest_test_${randomBytes(6).toString("hex")}`;
  await asAdministrator(url, (sql) => sql.unsafe(`create database "${name}" template "${template}"`));
  return {
    connection: isPooled
      ? { kind: "server", url: databaseUrl(poolerUrl, name), hasPreparedStatements: false }
      : { kind: "server", url: databaseUrl(url, name) },
    remove: async () => {
      await asAdministrator(url, (sql) => sql.unsafe(`drop database "${name}" with (force)`));
    },
  };
}

/** Migrates one database per version of the migrations; all test files and runs clone it. */
async function ensureTemplate(url: string): Promise<string> {
  const template = `palimpsest_template_${migrationsDigest()}_${partitions}`;
  await asAdministrator(url, async (sql) => {
    await sql`select pg_advisory_lock(7021)`;
    const [found] = await sql`select 1 from pg_database where datname = ${template}`;
    if (found !== undefined) return;
    const draft = `${template}_draft`;
    await sql.unsafe(`drop database if exists "${draft}" with (force)`);
    await sql.unsafe(`create database "${draft}"`);
    await migrate(databaseUrl(url, draft));
    await sql.unsafe(`alter database "${draft}" rename to "${template}"`);
  });
  return template;
}

async function migrate(url: string): Promise<void> {
  const database = await openDatabase({ connection: { kind: "server", url } });
  const folder = partitions === 0 ? undefined : writePartitionedMigrations(partitions);
  try {
    await migrateDatabase(database, folder);
  } finally {
    await database.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function asAdministrator(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  // One connection, so that the lock and what it guards are in one session.
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

function databaseUrl(url: string, name: string): string {
  const renamed = new URL(url);
  renamed.pathname = `/${name}`;
  return renamed.href;
}

function migrationsDigest(): string {
  const folder = path.join(packageRoot(), "drizzle");
  const hash = createHash("sha256");
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith(".sql")) hash.update(file).update(readFileSync(path.join(folder, file)));
  }
  return hash.digest("hex").slice(0, 12);
}
