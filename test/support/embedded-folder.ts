// Folders for tests of the embedded engine, and programs that use one from another process.
// Invariant: `removeFolders` ends every server and program that was started, by its pid, and removes what they wrote.
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { packageRoot } from "../../src/base/package-root.ts";
import { connectOrServe, type EmbeddedOptions } from "../../src/store/embedded/connect-or-serve.ts";
import type { LockEntry } from "../../src/store/embedded/server-lock.ts";
import { copyTemplate } from "./embedded-template.ts";
import { until } from "./until.ts";

const folders: string[] = [];
const programs: ChildProcess[] = [];
const pools: postgres.Sql[] = [];

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "palimpsest-test-")));
  folders.push(folder);
  return folder;
}

/** A folder in which a database was made before, for what is not about a first start: that takes a second longer. */
export async function usedFolder(): Promise<string> {
  const folder = newFolder();
  await copyTemplate(folder);
  return folder;
}

/** A driver's pool on the folder's server, which is started when there is none. */
export async function openPool(options: Partial<EmbeddedOptions> & { folder: string }, max = 1) {
  const server = await connectOrServe({ host: "process", ...options });
  const sql = postgres({ ...server.connection, max, fetch_types: false, onnotice: () => undefined });
  pools.push(sql);
  return { server, sql };
}

export interface LockFile {
  readonly file: string;
  readonly entry: LockEntry;
}

export function lockOf(folder: string): LockFile {
  const number = Math.max(
    ...readdirSync(folder).map((name) => Number(/^server-lock-(\d+)\.json$/u.exec(name)?.[1] ?? 0)),
  );
  const file = path.join(folder, `server-lock-${number}.json`);
  return { file, entry: JSON.parse(readFileSync(file, "utf8")) as LockEntry };
}

/** A migrations folder as drizzle-kit writes it, with one migration. */
export function newMigrations(sql: string, when = 1_700_000_000_000): string {
  const folder = newFolder();
  mkdirSync(path.join(folder, "meta"));
  const entries = [{ idx: 0, version: "7", when, tag: "0000_first", breakpoints: true }];
  writeFileSync(
    path.join(folder, "meta", "_journal.json"),
    JSON.stringify({ version: "7", dialect: "postgresql", entries }),
  );
  writeFileSync(path.join(folder, "0000_first.sql"), sql);
  return folder;
}

/** Runs lines of JavaScript in another process, with `connectOrServe`, `postgres` and `folder` in scope. */
export function runProgram(folder: string, lines: string) {
  const built = path.join(packageRoot(), "dist/src/store/embedded/connect-or-serve.js");
  const driver = path.join(packageRoot(), "node_modules/postgres/src/index.js");
  const source = `
    import { connectOrServe } from ${JSON.stringify(built)};
    import postgres from ${JSON.stringify(driver)};
    const folder = ${JSON.stringify(folder)};
    const say = (text) => process.stdout.write(text + "\\n");
    ${lines}`;
  const program = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  programs.push(program);
  let output = "";
  program.stdout.on("data", (chunk) => (output += String(chunk)));
  program.stderr.on("data", (chunk) => (output += String(chunk)));
  return {
    program,
    ended: new Promise<string>((resolve) => program.on("close", () => resolve(output))),
    said: (text: string) => until(() => output.includes(text)),
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended stays listed until its parent has asked for its end.
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** To be called in `afterAll`. */
export async function removeFolders(): Promise<void> {
  for (const pool of pools.splice(0)) await pool.end({ timeout: 1 }).catch(() => undefined);
  for (const program of programs.splice(0)) program.kill("SIGKILL");
  for (const folder of folders.splice(0)) {
    if (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("server-lock-"))) {
      const { pid, host } = lockOf(folder).entry;
      if (pid !== process.pid && host === os.hostname() && isServer(pid)) {
        process.kill(pid, "SIGKILL");
        await until(() => !isRunning(pid));
      }
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function isServer(pid: number): boolean {
  return isRunning(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("palimpsest-store");
}
