// Starts the server as a detached process with its own session and no terminal, so that neither Ctrl+C nor Ctrl+Z
// reaches it; or as a worker thread of this process, so that its work does not block the event loop.
// Invariant: a start ends as soon as the server has reported the outcome, or has exited. Once a process has
// started, no resources for it are held. A thread does not keep its process alive; its lock is released however it ends.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { StoreError } from "../../base/errors.ts";
import { thisHolder } from "../../base/lock-holder.ts";
import type { Log } from "../../base/log.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { askServer } from "./ask-server.ts";
import { serverEntry } from "./server-entry.ts";
import { readServerLock, releaseServerLock } from "./server-lock.ts";
import { reportedError, type ServeOptions, type ServerReport } from "./server-report.ts";
import { findStoreFolder, folderError, type StoreFolder } from "./store-folder.ts";

// Maximum milliseconds of a start. A first start without a prepared folder takes 2 to 20 s, depending on the machine.
const MAX_START_MS = 180_000;

export type StartOutcome = "ready" | "held" | "killed";

/**
 * Starts the process, and returns how the start ended. `held`: another server has the folder, or is about to take it.
 * `killed`: a signal ended the process before it was ready. Throws StoreError: `store_failed` if the process ended by
 * itself, `store_unreachable` if the start takes too long.
 */
export async function startProcess(folder: StoreFolder, options: ServeOptions, log: Log): Promise<StartOutcome> {
  const entry = serverEntry("serve-process");
  const output = openLog(folder);
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], {
    cwd: folder.root,
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    windowsHide: true,
  });
  closeSync(output);
  let limit: NodeJS.Timeout | undefined;
  return new Promise<StartOutcome>((resolve, reject) => {
    limit = setTimeout(() => reject(slowStart(folder, child.pid)), MAX_START_MS);
    child.on("message", reportReader(log, resolve, reject));
    child.on("error", (cause) =>
      reject(new StoreError("store_failed", "The database's process could not be started.", { cause })),
    );
    child.on("exit", (code, signal) => {
      if (signal === null) reject(earlyEnd(folder, `exit code ${code}`));
      else resolve("killed");
    });
  }).finally(() => {
    clearTimeout(limit);
    child.removeAllListeners();
    if (child.connected) child.disconnect();
    child.unref();
  });
}

/** Returns a listener for the reports of a server that starts. */
function reportReader(log: Log, resolve: (outcome: "ready" | "held") => void, reject: (error: Error) => void) {
  return (report: ServerReport): void => {
    if (report.kind === "progress") log(report.line, "info");
    else if (report.kind === "failed") reject(reportedError(report));
    else resolve(report.kind);
  };
}

function openLog(folder: StoreFolder): number {
  try {
    return openSync(folder.log, "a", 0o600);
  } catch (cause) {
    throw folderError(folder.root, cause);
  }
}

function slowStart(folder: StoreFolder, pid: number | undefined): StoreError {
  return new StoreError(
    "store_unreachable",
    `The database's process ${pid} did not start within ${MAX_START_MS / 1000} s. See ${folder.log}.`,
  );
}

/**
 * Returns the error for a process that ended before it was ready. `how`: how the process ended, in words for the message: its
 * exit code, or that signals ended it.
 */
export function earlyEnd(folder: StoreFolder, how: string): StoreError {
  const lastLine = readFileSync(folder.log, "utf8").trimEnd().split("\n").at(-1) ?? "";
  return new StoreError(
    "store_failed",
    `The database's process exited during its start (${how}). ${lastLine} See ${folder.log}.`,
  );
}

const maxEndMs = 10_000;

interface WorkerServer {
  /** Closes the database and ends the thread. */
  close(): Promise<void>;
}

/** Starts the thread, and returns its server. `held`: another server has the folder, or is about to take it. */
export async function startWorker(options: ServeOptions, log: Log): Promise<WorkerServer | "held"> {
  // Starts the thread without the Node options of this process: some, such as --input-type, fail for a thread from a file.
  const thread = { workerData: options, name: "palimpsest-store", execArgv: [] };
  const worker = new Worker(serverEntry("serve-worker"), thread);
  const release = (): Promise<void> =>
    releaseAbandonedLock(options.folder).catch((error: unknown) =>
      log(`The lock of the data folder was not released: ${messageOf(error)}`),
    );
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve(release())));
  try {
    const outcome = await new Promise<"ready" | "held">((resolve, reject) => {
      worker.on("message", reportReader(log, resolve, reject));
      worker.on("error", (cause) =>
        reject(new StoreError("store_failed", "The worker thread of the embedded database failed.", { cause })),
      );
      worker.on("exit", () => reject(new StoreError("store_failed", "The database's thread ended during its start.")));
    });
    if (outcome === "held") {
      await worker.terminate();
      return "held";
    }
  } catch (cause) {
    await worker.terminate();
    await ended;
    throw cause;
  }
  worker.unref();
  return {
    async close() {
      worker.ref();
      // Terminates the thread if the engine cannot be closed, for example on a full disk; the next server recovers from the
      // write-ahead log.
      const limit = setTimeout(() => void worker.terminate(), maxEndMs);
      worker.on("message", () => void worker.terminate());
      worker.postMessage("close");
      await ended;
      clearTimeout(limit);
    },
  };
}

/**
 * Releases the lock of a crashed thread. Its process still runs, so other processes would consider the lock held. Rejects if
 * the folder cannot be used any more, for example because its disk was removed.
 */
async function releaseAbandonedLock(path: string): Promise<void> {
  const folder = findStoreFolder(path);
  const lock = folder === undefined ? undefined : readServerLock(folder);
  if (lock === undefined || lock.entry.released === true || lock.entry.pid !== thisHolder().pid) return;
  if ((await askServer(lock.entry.endpoint, 1000)) === "refused") releaseServerLock(lock);
}
