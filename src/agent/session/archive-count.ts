// The number of passages in the archive, as shown to the model.
// Invariant: the passages are counted when the conversation is loaded, and again when a turn begins after one that
// added passages; a turn that adds none costs no query.
import type { PassageCount } from "../../context/window/state-block.ts";

export interface ArchiveCount {
  readonly current: PassageCount;
  /** Whether passages were added since the last count. */
  readonly isStale: boolean;
  load(): Promise<void>;
  /** Takes a count of at most `countedPassages` that was just read. */
  adopt(counted: number): void;
  invalidate(): void;
}

/** Larger numbers are shown as "more than 1000". */
const maxCounted = 1000;

/** Maximum number of passages to count. */
export const countedPassages = maxCounted + 1;

export function createArchiveCount(count: (max: number) => Promise<number>): ArchiveCount {
  const archive = {
    current: { count: 0, atLeast: false },
    isStale: false,
    load: async () => archive.adopt(await count(countedPassages)),
    adopt(counted: number) {
      archive.current = { count: Math.min(counted, maxCounted), atLeast: counted > maxCounted };
      archive.isStale = false;
    },
    invalidate() {
      archive.isStale = true;
    },
  };
  return archive;
}
