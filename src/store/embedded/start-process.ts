// Starts the server as a detached process with its own session and no terminal, so that neither Ctrl+C nor Ctrl+Z
// reaches it.
// Invariant: resolves or rejects as soon as the child has reported its start, or has exited; holds no resources
// afterwards.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { StoreError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { serverEntry } from "./server-entry.ts";
import { reportedError, type ServeOptions, type ServerReport } from "./server-report.ts";
import { folderError, type StoreFolder } from "./store-folder.ts";

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
    child.on("message", (report: ServerReport) => {
      if (report.kind === "progress") log(report.line, "info");
      else if (report.kind === "failed") reject(reportedError(report));
      else resolve(report.kind);
    });
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
