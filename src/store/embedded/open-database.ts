// Opens the embedded database: creates it on first start, and migrates its schema.
// Invariant: if the first start was interrupted, the database is removed and created again; it is never removed after clients
// have used it.
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PGlite, PGliteOptions } from "@electric-sql/pglite";
import { RuntimeError, StoreError } from "../../base/errors.ts";
import { fullDiskError } from "../connection/database-error.ts";
import { isMigrationDue } from "./migration-journal.ts";
import { findPreparedFolder, readPreparedFolder } from "./prepared-folder.ts";
import { folderError, type StoreFolder } from "./store-folder.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";
import { unpackFolder } from "./unpack-folder.ts";

/**
 * Megabytes of PostgreSQL's shared buffers, which the engine fills completely at its start. PostgreSQL's default is 128. With
 * less than 64, searches of 10,000 passages are slower (docs/benchmarks.md).
 */
const sharedMegabytes = 64;

/** A first start that takes longer than this, in milliseconds, is logged with its duration. */
const reportedMs = 1_000;

export interface OpenOptions {
  readonly migrationsFolder: string;
  readonly log: (line: string) => void;
  /** Returns the milliseconds of a clock; default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Opens the database of a folder; the caller must hold the lock. Throws StoreError `data_folder_invalid`, `store_schema_newer`,
 * `store_schema_unknown` or `store_failed`.
 */
export async function openDatabase(folder: StoreFolder, options: OpenOptions): Promise<PGlite> {
  const isFirst = existsSync(folder.unfinished) || !hasFiles(folder.database);
  if (!isFirst && !existsSync(path.join(folder.database, "PG_VERSION"))) {
    throw openError(folder.database, "the folder contains files, but no file PG_VERSION", undefined);
  }
  const { now = () => performance.now() } = options;
  const began = now();
  if (isFirst) await startEmpty(folder, options);
  const database = await migrated(await createDatabase(folder.database), options.migrationsFolder);
  if (isFirst) {
    rmSync(folder.unfinished);
    const milliseconds = now() - began;
    if (milliseconds > reportedMs) options.log(`the data folder is ready after ${(milliseconds / 1000).toFixed(1)} s`);
  }
  return database;
}

/** Opens a new database in memory. Throws StoreError. */
export async function openInMemory(migrationsFolder: string): Promise<PGlite> {
  return migrated(await createDatabase(undefined, readPreparedFolder(migrationsFolder)), migrationsFolder);
}

async function migrated(database: PGlite, migrationsFolder: string): Promise<PGlite> {
  try {
    await migrateEmbedded(database, migrationsFolder);
    return database;
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/** Opens PGlite with pgvector; in memory if no folder is given. `prepared`: a packed database folder to start from. */
export async function createDatabase(folder: string | undefined, prepared?: Blob): Promise<PGlite> {
  const [{ PGlite: Engine }, { vector }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite-pgvector"),
  ]);
  let complaint: string | undefined;
  const settings: PGliteOptions = {
    extensions: { vector },
    startParams: [...Engine.defaultStartParams, "-c", `shared_buffers=${sharedMegabytes}MB`],
    onStderr: (line) => {
      if (/FATAL|PANIC|ERROR/u.test(line)) complaint = line.trim();
      return false;
    },
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(prepared === undefined ? {} : { loadDataDir: prepared }),
  };
  try {
    return await Engine.create(settings);
  } catch (cause) {
    const reason = complaint ?? firstLine(cause);
    if (isDiskFull(reason, cause)) throw fullDiskError(`the disk of the data folder ${folder}`, cause);
    throw openError(folder ?? "memory", reason, cause);
  }
}

export async function migrateEmbedded(database: PGlite, migrationsFolder: string): Promise<void> {
  try {
    const isDue = await isMigrationDue(migrationsFolder, async (statement) => {
      const { rows } = await database.query<Record<string, unknown>>(statement);
      return rows;
    });
    if (!isDue) return;
    // Drizzle is loaded only if there is something to migrate: loading takes 100 ms.
    const [{ drizzle }, { migrate }] = await Promise.all([
      import("drizzle-orm/pglite"),
      import("drizzle-orm/pglite/migrator"),
    ]);
    await migrate(drizzle(database), { migrationsFolder });
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw new StoreError(
      "store_failed",
      `The database's schema could not be migrated, and nothing was changed: ${firstLine(cause)}. Fix the cause, and open the folder again.`,
      { cause },
    );
  }
}

function hasFiles(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

async function startEmpty(folder: StoreFolder, { migrationsFolder, log }: OpenOptions): Promise<void> {
  try {
    writeFileSync(folder.unfinished, "The first start was not completed; the next start repeats it.\n");
    rmSync(folder.database, { recursive: true, force: true });
    log(`preparing the data folder ${folder.root} (a new database)`);
    const archive = findPreparedFolder(migrationsFolder);
    if (archive !== undefined) await unpackFolder(archive, folder.database);
  } catch (cause) {
    throw folderError(folder.root, cause);
  }
}

function openError(folder: string, reason: string, cause: unknown): StoreError {
  return new StoreError(
    "data_folder_invalid",
    `The database in ${folder} cannot be opened: ${reason}. ` +
      "Restore a backup into an empty data folder, or move this folder away to start with a new database.",
    { cause },
  );
}

/** Returns whether the disk is full. The engine reports a full disk as text, in its log, or as a file system error. */
function isDiskFull(reason: string, cause: unknown): boolean {
  return systemErrorCode(cause) === "ENOSPC" || /no space left on device/iu.test(reason);
}

function firstLine(cause: unknown): string {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return (reason instanceof Error ? reason.message : String(reason)).split("\n")[0]!;
}
