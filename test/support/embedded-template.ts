// A database that was started once, for tests to copy: starting one anew takes a second and a half of CPU time more.
// Invariant: it was made of the migrations and the engine that are there now, it was closed, and nothing ever runs in it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { connectOrServe } from "../../src/store/embedded/connect-or-serve.ts";
import { packageMigrations } from "../../src/store/embedded/migration-journal.ts";
import { preparedStamp } from "../../src/store/embedded/prepared-folder.ts";

const database = "pgdata";

/** Puts the database into a data folder in which nothing was ever started. */
export async function copyTemplate(folder: string): Promise<void> {
  cpSync(path.join(await ensureTemplate(), database), path.join(folder, database), { recursive: true });
}

/** Test processes that come at once each make one, and the first is kept. */
async function ensureTemplate(): Promise<string> {
  const templates = path.join(packageRoot(), ".cache", "test-databases");
  const name = preparedStamp(packageMigrations()).slice(0, 16);
  const template = path.join(templates, name);
  if (existsSync(template)) return template;
  mkdirSync(templates, { recursive: true });
  for (const older of readdirSync(templates).filter((entry) => !entry.startsWith(name)))
    rmSync(path.join(templates, older), { recursive: true, force: true });
  const draft = mkdtempSync(`${template}-draft-`);
  const server = await connectOrServe({ folder: draft, host: "worker" });
  await server.close();
  try {
    renameSync(draft, template);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}
