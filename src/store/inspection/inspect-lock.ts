// The lock of a data folder as a person is told of it, and the way to remove one that its holder cannot give back.
// Invariant: a lock whose holder runs on this host is never removed, nor one that went to another holder meanwhile.
import { StoreError } from "../../errors.ts";
import type { LockFacts } from "../../memory/inspection.ts";
import { judgeAnyLock, type LockJudgement } from "../embedded/judge-lock.ts";
import { isHolderStopped, thisHolder } from "../embedded/lock-holder.ts";
import { lockNumber, readServerLock, releaseForeignLock, type ServerLock } from "../embedded/server-lock.ts";
import type { StoreFolder } from "../embedded/store-folder.ts";
import { systemCode } from "../embedded/system-code.ts";

// Longer than a server on a busy machine takes to answer, and short enough to wait for.
const patienceMs = 2000;

/** Looks, and changes nothing. */
export async function inspectLock(folder: StoreFolder): Promise<LockFacts> {
  let lock: ServerLock | undefined;
  try {
    lock = readServerLock(folder);
  } catch (error) {
    // One that may not be read says nothing about its holder: only what was read and makes no sense is damaged.
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
  return judgement === "deaf" ? "deaf" : "waiting";
}

/** Throws StoreError `store_locked` when the lock is held by a process of this host. Does nothing when nobody holds it. */
export async function removeForeignLock(folder: StoreFolder): Promise<void> {
  const number = lockNumber(folder);
  const facts = await inspectLock(folder);
  if (facts.kind === "free") return;
  if (facts.kind !== "foreign" && facts.kind !== "unreadable") {
    throw new StoreError(
      "store_locked",
      `The lock is held by the process ${facts.owner.pid} of this host, which runs, so it is left alone. End that process: its lock is then free.`,
    );
  }
  if (releaseForeignLock(folder, number, thisHolder())) return;
  throw new StoreError("store_locked", "The lock went to another process meanwhile. Run `palimpsest doctor` again.");
}
