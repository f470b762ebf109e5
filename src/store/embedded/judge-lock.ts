// Judges whether a store's lock is free, held by a server that answers, or held by one that does not.
// Invariant: a lock that was not released is free only if its process is gone and no database answers at its address;
// neither age nor a pid alone decides, and a lock from another machine is never judged free.
import { StoreError } from "../../base/errors.ts";
import { askServer } from "./ask-server.ts";
import { isHolderRunning, isOnOtherHost } from "../../base/lock-holder.ts";
import { isEndpointOf } from "./server-endpoint.ts";
import type { ServerLock } from "./server-lock.ts";
import type { StoreFolder } from "./store-folder.ts";

/**
 * `moving`: the holder accepts and closes connections, because it is exiting. `silent`: the holder has not answered
 * yet. `refusing`: the holder's process runs, but its socket refuses connections.
 */
export type LockJudgement = "free" | "serving" | "moving" | "silent" | "refusing";

/**
 * Returns the judgement, after waiting at most `patienceMs` for an answer. Throws StoreError `store_locked` for another
 * machine's lock.
 */
export async function judgeLock(
  lock: ServerLock | undefined,
  folder: StoreFolder,
  patienceMs: number,
): Promise<LockJudgement> {
  const judgement = await judgeAnyLock(lock, folder, patienceMs);
  if (judgement === "foreign") throw otherHostError(lock!);
  return judgement;
}

/** Like `judgeLock`, but returns `foreign` for another machine's lock. */
export async function judgeAnyLock(
  lock: ServerLock | undefined,
  folder: StoreFolder,
  patienceMs: number,
): Promise<LockJudgement | "foreign"> {
  if (lock === undefined || lock.entry.released === true) return "free";
  const { entry } = lock;
  const answer = isEndpointOf(folder, entry.endpoint) ? await askServer(entry.endpoint, patienceMs) : "refused";
  if (answer === "answers") return "serving";
  if (isOnOtherHost(entry)) return "foreign";
  const isRunning = isHolderRunning(entry);
  if (answer === "refused") return isRunning ? "refusing" : "free";
  // The holder's process has ended, so the port now belongs to another program.
  if ("port" in entry.endpoint && !isRunning) return "free";
  return answer === "closed" ? "moving" : "silent";
}

function otherHostError(lock: ServerLock): StoreError {
  const { host, pid } = lock.entry;
  return new StoreError(
    "store_locked",
    `Process ${pid} on the host "${host}" holds the data folder, and cannot be checked from here. ` +
      `End palimpsest there; if that host or container is gone for good, remove its lock: \`${lock.file}\`.`,
  );
}
