// Whether a store's lock is free, held by a server that answers, or held by one that does not.
// Invariant: a lock counts as free only when its socket refuses and its process is gone; neither age nor a pid alone
// decides, and nothing written on another machine is ever judged dead.
import { StoreError } from "../../errors.ts";
import { askServer } from "./ask-server.ts";
import { isHolderRunning, isHolderStopped, isOnOtherHost } from "./lock-holder.ts";
import { isEndpointOf } from "./server-endpoint.ts";
import type { ServerLock } from "./server-lock.ts";
import type { StoreFolder } from "./store-folder.ts";

/** `moving`: the holder is starting or leaving; ask again soon. */
export type LockJudgement = "free" | "serving" | "moving" | "silent";

/** Judges once, waiting at most `patienceMs` for an answer. Throws StoreError `store_locked` for another machine's lock. */
export async function judgeLock(
  lock: ServerLock | undefined,
  folder: StoreFolder,
  patienceMs: number,
): Promise<LockJudgement> {
  if (lock === undefined || lock.entry.released === true) return "free";
  const { entry } = lock;
  const answer = isEndpointOf(folder, entry.endpoint) ? await askServer(entry.endpoint, patienceMs) : "refused";
  if (answer === "answers") return "serving";
  if (isOnOtherHost(entry)) throw otherHostError(lock);
  const isRunning = isHolderRunning(entry);
  if (answer === "refused") return isRunning ? "moving" : "free";
  // A port that belongs to some other program by now.
  if ("port" in entry.endpoint && !isRunning) return "free";
  return answer === "closed" ? "moving" : "silent";
}

/** The error for a server that was given enough time to answer. */
export function unresponsiveError(lock: ServerLock): StoreError {
  const { pid } = lock.entry;
  if (isHolderStopped(lock.entry)) {
    return new StoreError(
      "store_unreachable",
      `The process ${pid}, which serves the data folder, is stopped. Continue it with "kill -CONT ${pid}", or end it with "kill -9 ${pid}": nothing acknowledged is lost.`,
    );
  }
  return new StoreError(
    "store_unreachable",
    `The process ${pid}, which serves the data folder, does not answer. Try again later, or end it with "kill -9 ${pid}": nothing acknowledged is lost.`,
  );
}

/** The error for a lock whose process runs but cannot be asked. */
export function unaskableError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `The data folder is held by the process ${lock.entry.pid}, whose socket is gone. End that process; if it has nothing to do with this folder, remove ${lock.file}.`,
  );
}

function otherHostError(lock: ServerLock): StoreError {
  const { host, pid } = lock.entry;
  return new StoreError(
    "store_locked",
    `The data folder is held by the process ${pid} on the host "${host}", which cannot be asked from here. ` +
      `End palimpsest there; if that host is gone for good, remove ${lock.file}.`,
  );
}
