// How many passages the archive has, as the model is told.
// Invariant: it is counted when the conversation is read, and again at the beginning of a turn after one that added any:
// a turn that adds none costs no query.
import type { PassageCount } from "../../context/window/core-memory-view.ts";

export interface ArchiveCount {
  readonly current: PassageCount;
  load(): Promise<void>;
  /** Something was added, so that the count does not hold any more. */
  outdate(): void;
  /** Counts again if it does not hold. */
  renew(): Promise<void>;
}

/** More are told as "more than 1000". */
const maxCounted = 1000;

export function createArchiveCount(count: (max: number) => Promise<number>): ArchiveCount {
  let current: PassageCount = { count: 0, atLeast: false };
  let holds = true;
  const load = async (): Promise<void> => {
    const counted = await count(maxCounted + 1);
    current = { count: Math.min(counted, maxCounted), atLeast: counted > maxCounted };
    holds = true;
  };
  return {
    get current() {
      return current;
    },
    load,
    outdate() {
      holds = false;
    },
    async renew() {
      if (!holds) await load();
    },
  };
}
