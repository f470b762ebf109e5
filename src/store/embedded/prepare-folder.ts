// Makes the database folder that ships with the package: an empty database with all migrations applied, packed.
// Invariant: archive and stamp belong together; the stamp is written last, and nothing is made that is already there.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createDatabase, migrateEmbedded } from "./open-database.ts";
import { preparedFolder, preparedStamp } from "./prepared-folder.ts";

/** Resolves to false when the archive was up to date. */
export async function prepareFolder(migrationsFolder: string): Promise<boolean> {
  const { archive, stamp } = preparedFolder();
  const wanted = preparedStamp(migrationsFolder);
  if (existsSync(archive) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return false;
  mkdirSync(path.dirname(archive), { recursive: true });
  rmSync(stamp, { force: true });
  const database = await createDatabase(undefined);
  try {
    await migrateEmbedded(database, migrationsFolder);
    await database.exec("vacuum analyze");
    await database.exec("checkpoint");
    const packed = await database.dumpDataDir("gzip");
    // Moved into place whole, for whoever starts while this is written.
    writeFileSync(`${archive}.new`, Buffer.from(await packed.arrayBuffer()));
    renameSync(`${archive}.new`, archive);
  } finally {
    await database.close();
  }
  writeFileSync(stamp, wanted);
  return true;
}
