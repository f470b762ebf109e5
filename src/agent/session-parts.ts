// What a session holds: the thread in the window, core memory with its revisions, and the lease.
// Invariant: core memory is what the store holds; it is replaced whole, after a commit or when it was read again.
import type { VersionedMemory } from "../memory/core/versioned-memory.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Thread } from "./thread.ts";

export interface SessionParts {
  readonly thread: Thread;
  readonly core: CoreMemory;
  readonly lease: HeldLease;
}

export interface CoreMemory {
  readonly current: VersionedMemory;
  load(): Promise<void>;
  adopt(edited: VersionedMemory): void;
}

/** Nothing is read before `load`. */
export function createCoreMemory(read: () => Promise<VersionedMemory>): CoreMemory {
  let current: VersionedMemory | null = null;
  return {
    get current() {
      // Read before the session is handed out.
      return current as VersionedMemory;
    },
    async load() {
      current = await read();
    },
    adopt(edited) {
      current = edited;
    },
  };
}
