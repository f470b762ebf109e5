// Starts the server as a worker thread of this process, so that its work does not block the event loop.
// Invariant: the thread does not keep the process alive, and however it ends, the lock is released.
import { Worker } from "node:worker_threads";
import { StoreError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { askServer } from "./ask-server.ts";
import { thisHolder } from "../../base/lock-holder.ts";
import { serverEntry } from "./server-entry.ts";
import { readServerLock, releaseServerLock } from "./server-lock.ts";
import { reportedError, type ServeOptions, type ServerReport } from "./server-report.ts";
import { openStoreFolder } from "./store-folder.ts";

const maxEndMs = 10_000;

export interface WorkerServer {
  /** Closes the database and ends the thread. */
  close(): Promise<void>;
}

/** Starts the thread, and returns its server. `held`: another server has the folder, or is about to take it. */
export async function startWorker(options: ServeOptions, log: Log): Promise<WorkerServer | "held"> {
  // Starts the thread without the Node options of this process, some of which, such as --input-type, fail for a file.
  const thread = { workerData: options, name: "palimpsest-store", execArgv: [] };
  const worker = new Worker(serverEntry("serve-worker"), thread);
  const ended = new Promise<void>((resolve) =>
    worker.once("exit", () => resolve(releaseAbandonedLock(options.folder))),
  );
  try {
    const outcome = await new Promise<"ready" | "held">((resolve, reject) => {
      worker.on("message", (report: ServerReport) => {
        if (report.kind === "progress") log(report.line, "info");
        else if (report.kind === "failed") reject(reportedError(report));
        else resolve(report.kind);
      });
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

/** Releases the lock of a crashed thread. Its process still runs, so other processes would consider the lock held. */
async function releaseAbandonedLock(path: string): Promise<void> {
  const folder = openStoreFolder(path);
  const lock = readServerLock(folder);
  if (lock === undefined || lock.entry.released === true || lock.entry.pid !== thisHolder().pid) return;
  if ((await askServer(lock.entry.endpoint, 1000)) === "refused") releaseServerLock(lock);
}
