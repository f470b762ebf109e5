// Locates the files of the embedded engine, and checks that their folder can be used.
// Invariant: an unusable folder is reported before anything is started in it.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { StoreError } from "../../base/errors.ts";
import { fullDiskError, isFullDisk } from "../connection/database-error.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

/** The files of one embedded store. `root` is the real path, so that two paths to the same folder are equal. */
export interface StoreFolder {
  readonly root: string;
  /** PostgreSQL's data folder. */
  readonly database: string;
  /** A file that marks a database whose creation is not complete. No write to such a database was acknowledged. */
  readonly unfinished: string;
  readonly log: string;
  readonly secret: string;
}

/**
 * Returns the files of a folder, which is created if it is missing. Throws StoreError `data_folder_invalid` if the
 * folder cannot be created, entered or written.
 */
export function openStoreFolder(folder: string): StoreFolder {
  try {
    makeFolder(path.resolve(folder));
    readdirSync(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    return filesOf(realpathSync(folder));
  } catch (cause) {
    throw folderError(path.resolve(folder), cause);
  }
}

/** Like `openStoreFolder`, but creates nothing. Returns undefined if the folder is missing. */
export function findStoreFolder(folder: string): StoreFolder | undefined {
  try {
    return filesOf(realpathSync(folder));
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return undefined;
    throw folderError(path.resolve(folder), cause);
  }
}

function filesOf(root: string): StoreFolder {
  return {
    root,
    database: path.join(root, "pgdata"),
    unfinished: path.join(root, "pgdata.unfinished"),
    log: path.join(root, "server.log"),
    secret: path.join(root, "server.secret"),
  };
}

/** Returns the error for a folder in which the operating system refuses an operation. */
export function folderError(folder: string, cause: unknown): StoreError {
  if (isFullDisk(cause)) return fullDiskError(`the disk of the data folder ${folder}`, cause);
  const code = systemErrorCode(cause) ?? String(cause);
  const reason = reasons[code] ?? code;
  return new StoreError(
    "data_folder_invalid",
    `The data folder ${folder} cannot be used: ${reason}. Choose another folder.`,
    {
      cause,
    },
  );
}

/**
 * Creates a folder with its parents. mkdirSync's own `recursive` loops forever in Node 20 where nothing can be created, such as
 * /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // If the folder exists now, another process has created it.
    if (!existsSync(folder)) throw cause;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "a file has that name",
  ENOENT: "it cannot be created there",
};
