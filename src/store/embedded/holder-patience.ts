// How long to wait for a server that holds the lock and cannot be used right now, and what to say in the end.
// Invariant: every wait ends, in an error that names the process and says what can be done about it.
import { systemClock } from "../../base/clock.ts";
import { StoreError } from "../../errors.ts";
import type { LockJudgement } from "./judge-lock.ts";
import { isHolderRunning, isHolderStopped } from "./lock-holder.ts";
import type { ServerLock } from "./server-lock.ts";

export interface PatienceOptions {
  /** Default 60,000: a long statement holds up the server's answer. */
  readonly patienceMs?: number;
  readonly log?: (line: string) => void;
}

export interface HolderPatience {
  /** Waits a moment before the lock is judged again. Throws StoreError when there is no more point in it. */
  wait(judgement: LockJudgement, lock: ServerLock): Promise<void>;
  /**
   * Waits until the server of an older version has left. Only looks at its lock and process, since a connection would
   * keep it from leaving. Throws StoreError `store_locked` when it stays, because somebody uses it.
   */
  waitForOlder(lock: ServerLock, readLock: () => ServerLock | undefined): Promise<void>;
}

const PAUSE_MS = 50;
// A process that runs without its socket does not get it back; it may be about to end, though.
const LONGEST_DEAFNESS_MS = 10_000;

/** One for each attempt to connect: its time begins now. */
export function createPatience({ patienceMs = 60_000, log }: PatienceOptions): HolderPatience {
  const begun = Date.now();
  const isOver = (limitMs: number): boolean => Date.now() - begun > limitMs;
  let hasReported = false;
  const report = (line: string): void => {
    if (!hasReported) log?.(line);
    hasReported = true;
  };

  return {
    async wait(judgement, lock) {
      if (judgement === "deaf" && isOver(Math.min(patienceMs, LONGEST_DEAFNESS_MS))) throw unaskableError(lock);
      if (isOver(patienceMs) || isHolderStopped(lock.entry)) throw unresponsiveError(lock);
      if (judgement === "silent") report(`waiting for the process ${lock.entry.pid}, which has the data folder`);
      await systemClock.sleep(PAUSE_MS);
    },
    async waitForOlder(lock, readLock) {
      report(`waiting for the process ${lock.entry.pid} of an older version to leave the data folder`);
      while (readLock()?.number === lock.number && readLock()?.entry.released !== true && isHolderRunning(lock.entry)) {
        if (isOver(patienceMs)) throw olderVersionError(lock);
        await systemClock.sleep(PAUSE_MS);
      }
    },
  };
}

function unresponsiveError(lock: ServerLock): StoreError {
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

function unaskableError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `The data folder is held by the process ${lock.entry.pid}, whose socket is gone. End that process; if it has nothing to do with this folder, remove ${lock.file}.`,
  );
}

function olderVersionError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `The data folder is in use by an older version of Palimpsest (process ${lock.entry.pid}). ` +
      "Close what uses it, and start again: that process then leaves by itself.",
  );
}
