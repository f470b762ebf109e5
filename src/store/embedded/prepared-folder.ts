// Finds the database folder that ships with the package. A first start unpacks it in 1 s; creating a database takes 2 to 9 s.
// Invariant: the folder is used only if its stamp matches the migrations and the version of the engine.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";

/** The packed database folder and its stamp. */
export interface PreparedFolder {
  readonly archive: string;
  readonly stamp: string;
}

/** Returns the paths that the build writes to. */
export function preparedFolder(): PreparedFolder {
  const folder = path.join(packageRoot(), "dist", "prepared");
  return { archive: path.join(folder, "pgdata.tar.gz"), stamp: path.join(folder, "stamp") };
}

/** Returns the path of the packed folder, or undefined if there is none for these migrations and this engine. */
export function findPreparedFolder(migrationsFolder: string): string | undefined {
  const { archive, stamp } = preparedFolder();
  if (!existsSync(archive) || !existsSync(stamp)) return undefined;
  return readFileSync(stamp, "utf8") === preparedStamp(migrationsFolder) ? archive : undefined;
}

/** Returns the packed folder for a database in memory; undefined if there is none for these migrations and this engine. */
export function readPreparedFolder(migrationsFolder: string): Blob | undefined {
  const archive = findPreparedFolder(migrationsFolder);
  return archive === undefined ? undefined : new Blob([readFileSync(archive)], { type: "application/x-gzip" });
}

/**
 * Returns a hash of everything that a prepared folder depends on: the migrations with their journal, the engine and its
 * extension.
 */
export function preparedStamp(migrationsFolder: string): string {
  const hash = createHash("sha256");
  for (const name of ["@electric-sql/pglite", "@electric-sql/pglite-pgvector"])
    hash.update(`${installedVersion(name)}\0`);
  const files = readdirSync(migrationsFolder, { recursive: true, encoding: "utf8" });
  // Excludes drizzle-kit's snapshots, which the package does not ship.
  for (const file of files.filter((name) => /\.sql$|_journal\.json$/u.test(name)).sort()) {
    // Removes carriage returns, because Git may have changed line endings.
    hash.update(
      `${file.replaceAll("\\", "/")}\0${readFileSync(path.join(migrationsFolder, file), "utf8").replaceAll("\r", "")}\0`,
    );
  }
  return hash.digest("hex");
}

function installedVersion(name: string): string {
  // Searches the parent folders for package.json, which cannot be imported: the packages do not export it.
  let folder = path.dirname(createRequire(import.meta.url).resolve(name));
  while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
