// Reports the lock of a data folder, and removes one that its holder cannot release.
// Invariant: a lock whose holder runs on this host is never removed, nor one that changed hands meanwhile.
import { StoreError } from "../../base/errors.ts";
import type { LockFacts } from "../port/inspection.ts";
import { judgeAnyLock, type LockJudgement } from "../embedded/judge-lock.ts";
import { isHolderStopped, thisHolder } from "../embedded/lock-holder.ts";
import { lockNumber, readServerLock, releaseForeignLock, type ServerLock } from "../embedded/server-lock.ts";
import type { StoreFolder } from "../embedded/store-folder.ts";
import { systemCode } from "../embedded/system-code.ts";

// Milliseconds: longer than a server on a busy machine takes to answer, and short enough to wait for.
const patienceMs = 2000;

/** Read-only. */
export async function inspectLock(folder: StoreFolder): Promise<LockFacts> {
  let lock: ServerLock | undefined;
  try {
    lock = readServerLock(folder);
  } catch (error) {
    // An unreadable file says nothing about the holder: a lock is damaged only if it was read and is invalid.
    if (!(error instanceof StoreError) || systemCode(error.cause) !== undefined) throw error;
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

/** Throws StoreError `store_locked` if a process of this host holds the lock. Does nothing if the lock is free. */
export async function removeForeignLock(folder: StoreFolder): Promise<void> {
  const number = lockNumber(folder);
  const facts = await inspectLock(folder);
  if (facts.kind === "free") return;
  if (facts.kind !== "foreign" && facts.kind !== "unreadable") {
    throw new StoreError(
      "store_locked",
      `Process ${facts.owner.pid} of this host holds the lock and is running, so the lock was not removed. End that process to release it.`,
    );
  }
  if (releaseForeignLock(folder, number, thisHolder())) return;
  throw new StoreError("store_locked", "Another process took the lock meanwhile. Run `palimpsest doctor` again.");
}
