// The embedded engine of a process of tests: started once, and handed from one test file to the next. Starting one for each file
// took more than a second of CPU time each.
// Invariant: one file has it at a time; it is given back empty, with the schema as it was, or it is given up. It is served by
// the built program, which belongs to no file's realm.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const built = pathToFileURL(join(root, "dist", "src", "store", "embedded", "connect-or-serve.js")).href;

let engine;
let isTaken = false;

// In a process of its own: on a busy disk it takes longer than the second after which jest kills a worker.
process.once("exit", () => {
  if (engine === undefined) return;
  const program = 'require("node:fs").rmSync(process.argv[1], { recursive: true, force: true })';
  spawn(process.execPath, ["-e", program, engine.folder], { detached: true, stdio: "ignore" }).unref();
});

/**
 * The engine, for `giveBack` or `giveUp` later; undefined while a caller has it. `prepare` puts a database into its folder, once.
 * `pristine` is the caller's: what it found in the database when it was first taken.
 */
export async function takeEngine(prepare) {
  if (isTaken) return undefined;
  isTaken = true;
  engine ??= await startEngine(prepare);
  return engine;
}

export function giveBackEngine() {
  isTaken = false;
}

/** For an engine that cannot be given back: the next caller gets a new one. */
export async function giveUpEngine() {
  const { server, folder } = engine;
  engine = undefined;
  isTaken = false;
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function startEngine(prepare) {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-engine-"));
  try {
    await prepare(folder);
    const { connectOrServe } = await import(built);
    return { folder, server: await connectOrServe({ folder, host: "worker" }), pristine: undefined };
  } catch (error) {
    isTaken = false;
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
