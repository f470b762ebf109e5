// Examines the data folder of the embedded store: whether it can be used, its permissions, its free space and its lock. Can
// also release a lock whose holder is on another host, and a damaged lock.
// Invariant: the examination creates nothing, even if the folder does not exist yet. A lock is never released if its
// holder runs on this host, or if another process has taken the lock since it was examined.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { StoreError } from "../../base/errors.ts";
import type { FolderFacts, LockFacts } from "../port/inspection.ts";
import { socketAddress } from "../embedded/server-endpoint.ts";
import { findStoreFolder, folderError, type StoreFolder } from "../embedded/store-folder.ts";
import { judgeAnyLock, type LockJudgement } from "../embedded/judge-lock.ts";
import { isHolderStopped, thisHolder } from "../../base/lock-holder.ts";
import { lockNumber, readServerLock, releaseForeignLock, type ServerLock } from "../embedded/server-lock.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

export async function inspectFolder(given: string): Promise<FolderFacts> {
  const asked = path.resolve(given);
  const { folder, refusal } = findUsableFolder(asked);
  const root = folder?.root ?? asked;
  const place = nearestExisting(root);
  return {
    path: root,
    exists: existsSync(root),
    hasDatabase: folder !== undefined && existsSync(path.join(folder.database, "PG_VERSION")),
    refusal: refusal ?? refusalOf(place),
    mode: folder === undefined || process.platform === "win32" ? null : statSync(root).mode & 0o777,
    freeBytes: await freeBytesOf(place),
    socket: process.platform === "win32" ? null : socketAddress(root),
  };
}

function findUsableFolder(asked: string): { readonly folder?: StoreFolder; readonly refusal?: string } {
  try {
    const folder = findStoreFolder(asked);
    if (folder === undefined) return {};
    return statSync(folder.root).isDirectory()
      ? { folder }
      : { refusal: `${asked} is a file. Choose a folder instead.` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { refusal: error.message };
  }
}

/** Returns the folder itself, or the nearest existing parent of a folder that is missing. */
function nearestExisting(asked: string): string {
  return existsSync(asked) || path.dirname(asked) === asked ? asked : nearestExisting(path.dirname(asked));
}

function refusalOf(place: string): string | null {
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (cause) {
    return folderError(place, cause).message;
  }
}

async function freeBytesOf(place: string): Promise<number> {
  const { bavail, bsize } = await statfs(place);
  return bavail * bsize;
}

// Milliseconds to wait for a server's answer: enough for a busy machine, and short enough for a person who waits.
const patienceMs = 2000;

/** Returns the state of the lock. Read-only. */
export async function inspectLock(folder: StoreFolder): Promise<LockFacts> {
  let lock: ServerLock | undefined;
  try {
    lock = readServerLock(folder);
  } catch (error) {
    // Only a file that was read and is invalid counts as a damaged lock. If reading fails, the lock may be intact.
    if (!(error instanceof StoreError) || systemErrorCode(error.cause) !== undefined) throw error;
    return { kind: "unreadable", file: `${folder.root}/server-lock-${lockNumber(folder)}.json` };
  }
  const judgement = await judgeAnyLock(lock, folder, patienceMs);
  if (lock === undefined || judgement === "free") return { kind: "free" };
  const { host, pid } = lock.entry;
  return { kind: kindOf(judgement, lock), file: lock.file, owner: { host, pid } };
}

function kindOf(judgement: Exclude<LockJudgement, "free"> | "foreign", lock: ServerLock) {
  if (judgement === "serving" || judgement === "foreign") return judgement;
  if (isHolderStopped(lock.entry)) return "stopped";
  return judgement === "refusing" ? "refusing" : "waiting";
}

/**
 * Releases a lock of another host, or one that cannot be read. Throws StoreError `store_locked` if a process of this host holds
 * the lock. Does nothing if the lock is free.
 */
export async function removeForeignLock(folder: StoreFolder): Promise<void> {
  const number = lockNumber(folder);
  const facts = await inspectLock(folder);
  if (facts.kind === "free") return;
  if (facts.kind !== "foreign" && facts.kind !== "unreadable") {
    throw new StoreError(
      "store_locked",
      `Process ${facts.owner.pid} of this host is running and holds the lock of the data folder, so the lock was not removed. End that process to release it.`,
    );
  }
  if (releaseForeignLock(folder, number, thisHolder())) return;
  throw new StoreError("store_locked", "Another process took the data folder's lock. Run `palimpsest doctor` again.");
}
