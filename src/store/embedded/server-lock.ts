// Locks the database for one process, with numbered files in the data folder. The file with the highest number is valid.
// Invariant: a file is created exclusively and its number never reused, so only one of several processes that find the same
// dead holder takes over. (With one file name, a slow process could remove the successor's file instead of the dead holder's.)
import { largest } from "../../base/lists.ts";
import {
  constants,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { randomBytes } from "node:crypto";
import { StoreError } from "../../base/errors.ts";
import type { LockHolder } from "../../base/lock-holder.ts";
import type { ServerEndpoint } from "./server-endpoint.ts";
import { folderError, type StoreFolder } from "./store-folder.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

/** Content of a lock file. */
export interface LockEntry extends LockHolder {
  readonly endpoint: ServerEndpoint;
  /** The newest migration that the server knows, as drizzle's `when`. */
  readonly schema: number;
  /** Set if the holder released the lock; the file stays, so that its number is not reused. */
  readonly released?: true;
}

/** The current lock: the lock file with the highest number, and its content. */
export interface ServerLock {
  readonly number: number;
  readonly file: string;
  readonly entry: LockEntry;
}

/** Returns the current lock; undefined if there never was one. */
export function readServerLock(folder: StoreFolder): ServerLock | undefined {
  const number = lockNumber(folder);
  if (number === 0) return undefined;
  const file = lockFile(folder, number);
  try {
    return { number, file, entry: JSON.parse(readFileSync(file, "utf8")) as LockEntry };
  } catch (cause) {
    // Another process took the lock and removed this file after its number was read: read again.
    if (systemErrorCode(cause) === "ENOENT") return readServerLock(folder);
    throw new StoreError(
      "store_locked",
      `The lock file ${file} cannot be read. If no process uses the data folder, remove the lock: \`${file}\`.`,
      { cause },
    );
  }
}

/** Takes the lock with the number after `previous` (0: none). Returns undefined if another process was faster. */
export function takeServerLock(folder: StoreFolder, previous: number, entry: LockEntry): ServerLock | undefined {
  const number = previous + 1;
  const file = lockFile(folder, number);
  if (!createExclusively(file, entry)) return undefined;
  // If this process was slow, another may have created and removed a file with this number. Then a higher number exists.
  if (lockNumber(folder) > number) {
    rmSync(file, { force: true });
    return undefined;
  }
  for (const older of numbers(folder)) {
    if (older < number) rmSync(lockFile(folder, older), { force: true });
  }
  return { number, file, entry };
}

/**
 * Releases a lock that another process holds, on a person's request. The file stays, so that its number is not reused.
 * Returns false, with nothing changed, if the current lock has another number.
 */
export function releaseForeignLock(folder: StoreFolder, number: number, by: LockHolder): boolean {
  if (lockNumber(folder) !== number) return false;
  const file = lockFile(folder, number);
  renameSync(writeDraft(file, { ...by, endpoint: { path: "" }, schema: 0, released: true }), file);
  return true;
}

/**
 * Returns whether the lock is still held. It is lost if another process released it, or if the folder was removed; a new
 * server may then have created a lock with the same number.
 */
export function isServerLockHeld({ file, entry }: ServerLock): boolean {
  try {
    return readFileSync(file, "utf8") === lockText(entry);
  } catch (cause) {
    // Only a missing file means that the lock is lost: a file that cannot be read may still exist.
    return systemErrorCode(cause) !== "ENOENT" && systemErrorCode(cause) !== "ENOTDIR";
  }
}

/** Releases the lock. Does nothing if the lock has another holder or is gone. */
export function releaseServerLock(lock: ServerLock): void {
  if (!isServerLockHeld(lock)) return;
  const released: LockEntry = { ...lock.entry, released: true };
  try {
    renameSync(writeDraft(lock.file, released), lock.file);
  } catch (cause) {
    if (!(cause instanceof StoreError) || cause.code !== "store_full") throw cause;
    // A full disk has no room for a new file, but the existing lock file's last block has room for a few bytes.
    writeFileSync(lock.file, lockText(released), { flag: "r+" });
  }
}

function createExclusively(file: string, entry: LockEntry): boolean {
  const draft = writeDraft(file, entry);
  try {
    try {
      // A hard link appears with its complete content. A file that is created and then written could be read while empty.
      linkSync(draft, file);
    } catch (cause) {
      if (systemErrorCode(cause) === "EEXIST") return false;
      // Copies the file on file systems without hard links.
      copyFileSync(draft, file, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === "EEXIST") return false;
    throw folderError(path.dirname(file), cause);
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(file: string, entry: LockEntry): string {
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  try {
    // Flushed to disk, so that a crash of the machine does not leave an empty lock file.
    writeFileSync(draft, lockText(entry), { mode: 0o600, flush: true });
  } catch (cause) {
    throw folderError(path.dirname(file), cause);
  }
  return draft;
}

function lockText(entry: LockEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Returns the number of the current lock, even if its file cannot be read; 0 if there never was one. */
export function lockNumber(folder: StoreFolder): number {
  return largest(numbers(folder), 0);
}

function numbers(folder: StoreFolder): number[] {
  return readdirSync(folder.root).flatMap((name) => {
    const match = /^server-lock-(\d+)\.json$/u.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
}

function lockFile(folder: StoreFolder, number: number): string {
  return path.join(folder.root, `server-lock-${number}.json`);
}
