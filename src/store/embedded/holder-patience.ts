// How long to wait for a server that holds the lock but cannot be used now, and the error afterwards.
// Invariant: every wait ends, in an error that names the process and what to do.
import { systemClock } from "../../base/clock.ts";
import { StoreError } from "../../base/errors.ts";
import type { LockJudgement } from "./judge-lock.ts";
import { isHolderRunning, isHolderStopped } from "./lock-holder.ts";
import type { ServerLock } from "./server-lock.ts";

export interface PatienceOptions {
  /** Milliseconds; default 60,000: a long statement delays the server's answer. */
  readonly patienceMs?: number;
  readonly log?: (line: string) => void;
}

export interface HolderPatience {
  /** Waits briefly before the lock is judged again. Throws StoreError if further waiting is useless. */
  wait(judgement: LockJudgement, lock: ServerLock): Promise<void>;
  /**
   * Waits until the server of an older version has exited. Only reads its lock and process, since a connection would
   * keep it running. Throws StoreError `store_locked` if it does not exit, because it is in use.
   */
  waitForOlder(lock: ServerLock, readLock: () => ServerLock | undefined): Promise<void>;
}

const PAUSE_MS = 50;
// A process without its socket does not get it back, but may be about to exit.
const MAX_REFUSAL_MS = 10_000;

/** Create one for each attempt to connect: its time starts now. */
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
      if (judgement === "refusing" && isOver(Math.min(patienceMs, MAX_REFUSAL_MS))) throw unresponsiveHolderError(lock);
      if (isOver(patienceMs) || isHolderStopped(lock.entry)) throw unresponsiveError(lock);
      if (judgement === "silent") report(`waiting for process ${lock.entry.pid}, which serves the data folder`);
      await systemClock.sleep(PAUSE_MS);
    },
    async waitForOlder(lock, readLock) {
      report(`waiting for process ${lock.entry.pid} of an older version to release the data folder`);
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
      `Process ${pid}, which serves the data folder, is suspended. Continue it with "kill -CONT ${pid}", or end it with "kill -9 ${pid}": committed data is not lost.`,
    );
  }
  return new StoreError(
    "store_unreachable",
    `Process ${pid}, which serves the data folder, does not answer. Try again later, or end it with "kill -9 ${pid}": committed data is not lost.`,
  );
}

function unresponsiveHolderError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `Process ${lock.entry.pid} holds the data folder, but its socket is gone. End that process; if it is unrelated to this folder, remove ${lock.file}.`,
  );
}

function olderVersionError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `The data folder is in use by an older version of Palimpsest (process ${lock.entry.pid}). ` +
      "Close the programs that use it, and start again: that process then exits by itself.",
  );
}
