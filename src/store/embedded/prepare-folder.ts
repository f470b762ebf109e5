// Creates the database folder that ships with the package: an empty database with all migrations applied, packed.
// Invariant: archive and stamp belong together; the stamp is written last, and an up-to-date archive is not rebuilt.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createDatabase, migrateEmbedded } from "./open-database.ts";
import { preparedFolder, preparedStamp } from "./prepared-folder.ts";

/** Resolves to false if the archive was up to date. */
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
    // Renamed into place when complete, because another process may start during the write.
    writeFileSync(`${archive}.new`, Buffer.from(await packed.arrayBuffer()));
    renameSync(`${archive}.new`, archive);
  } finally {
    await database.close();
  }
  writeFileSync(stamp, wanted);
  return true;
}
