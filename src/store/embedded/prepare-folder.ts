// Creates the database folder that ships with the package: an archive of an empty database with all migrations.
// Invariant: a stamp exists only beside the complete archive that it describes: it is deleted before the archive is written,
// and written after it. An archive with the current stamp is kept.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { createDatabase, migrateEmbedded } from "./open-database.ts";
import { preparedFolder, preparedStamp } from "./prepared-folder.ts";

/** Builds the archive. Resolves to false if it was up to date. */
export async function prepareFolder(migrationsFolder: string): Promise<boolean> {
  const { archive, stamp } = preparedFolder();
  const wanted = preparedStamp(migrationsFolder);
  if (existsSync(archive) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return false;
  mkdirSync(path.dirname(archive), { recursive: true });
  rmSync(stamp, { force: true });
  const database = await createDatabase(undefined);
  try {
    await migrateEmbedded(database, migrationsFolder);
    await analyzeCatalog(database);
    await database.exec("checkpoint");
    const packed = await database.dumpDataDir("gzip");
    // The archive is renamed into place when complete, because another process may read it during the write.
    writeFileSync(`${archive}.new`, Buffer.from(await packed.arrayBuffer()));
    renameSync(`${archive}.new`, archive);
  } finally {
    await database.close();
  }
  writeFileSync(stamp, wanted);
  return true;
}

/**
 * Vacuums and analyzes PostgreSQL's own tables. The store's tables are not analyzed: for a table known to be empty, the
 * planner chooses a sequential scan, and a prepared statement keeps that plan after the table has grown.
 */
async function analyzeCatalog(database: PGlite): Promise<void> {
  const { rows } = await database.query<{ tables: string }>(
    "select string_agg(oid::regclass::text, ', ') as tables from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r'",
  );
  await database.exec(`vacuum (analyze) ${rows[0]!.tables}`);
}
