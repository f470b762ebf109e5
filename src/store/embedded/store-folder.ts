// Where the embedded engine keeps its files, and the check that they can be kept there.
// Invariant: a folder that cannot be used is reported as such before anything is started in it.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { StoreError } from "../../errors.ts";
import { fullDiskError } from "../connection/database-error.ts";
import { systemCode } from "./system-code.ts";

/** The files of one embedded store. `root` is the real path, so that two ways to the same folder meet. */
export interface StoreFolder {
  readonly root: string;
  /** PostgreSQL's own folder. */
  readonly database: string;
  /** Exists while the database is being made for the first time, before anything in it was acknowledged. */
  readonly unfinished: string;
  readonly log: string;
  readonly secret: string;
}

/** Makes the folder when it is missing. Throws StoreError `store_folder` when it cannot be made, entered or written. */
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

/** The same for a folder that is only looked at: nothing is made. Undefined when it is not there; throws StoreError as above. */
export function findStoreFolder(folder: string): StoreFolder | undefined {
  try {
    return filesOf(realpathSync(folder));
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return undefined;
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

/** The error for a folder in which the operating system refuses what is needed. */
export function folderError(folder: string, cause: unknown): StoreError {
  const code = systemCode(cause) ?? String(cause);
  if (code === "ENOSPC" || code === "EDQUOT") return fullDiskError(`the disk of the data folder ${folder}`, cause);
  const reason = reasons[code] ?? code;
  return new StoreError("store_folder", `The data folder ${folder} cannot be used: ${reason}. Choose another folder.`, {
    cause,
  });
}

/** Not mkdirSync's own `recursive`: in a place such as /proc, where nothing can be made, Node 20 tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was faster.
    if (!existsSync(folder)) throw cause;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "there is a file of that name",
  ENOENT: "it cannot be created there",
};
