// How many passages the archive has, as the model is told.
// Invariant: it is counted when the conversation is read, and again at the beginning of a turn after one that added any:
// a turn that adds none costs no query.
import type { PassageCount } from "../../context/window/core-memory-view.ts";

export interface ArchiveCount {
  readonly current: PassageCount;
  /** Whether something was added since it was counted. */
  readonly isOutdated: boolean;
  load(): Promise<void>;
  outdate(): void;
}

/** More are told as "more than 1000". */
const maxCounted = 1000;

export function createArchiveCount(count: (max: number) => Promise<number>): ArchiveCount {
  const archive = {
    current: { count: 0, atLeast: false },
    isOutdated: false,
    async load() {
      const counted = await count(maxCounted + 1);
      archive.current = { count: Math.min(counted, maxCounted), atLeast: counted > maxCounted };
      archive.isOutdated = false;
    },
    outdate() {
      archive.isOutdated = true;
    },
  };
  return archive;
}
