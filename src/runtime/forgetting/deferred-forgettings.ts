// Forgettings that a running turn has asked for, which wait until the turn ends, because a forgetting interrupts turns.
// Invariant: deferred forgettings are stored, so that the next opening applies those of a killed process.
import type { Ids } from "../../base/ids.ts";
import type { ForgettingStore } from "../../store/port/forgetting-store.ts";

export interface DeferredForgettings {
  /** Stores texts that are forgotten when the running turn ends. */
  defer(texts: readonly string[]): Promise<void>;
  /** Whether a turn of this runtime has deferred something. A plain field: each turn reads it when it ends. */
  readonly waits: boolean;
  /** Forgets what the turns of this runtime have deferred. */
  afterTurn(): Promise<void>;
  /** Forgets what an ended process has left. Returns false if a turn of this runtime will do so when it ends. */
  complete(): Promise<boolean>;
}

interface DeferralDeps {
  readonly ids: Ids;
  readonly store: { readonly forgetting: Pick<ForgettingStore, "defer" | "pending"> };
}

/** Returns the deferred forgettings of a runtime. `apply` applies those of all processes. */
export function createDeferredForgettings(
  { store, ids }: DeferralDeps,
  apply: () => Promise<void>,
): DeferredForgettings {
  const deferred = {
    waits: false,
    async defer(texts: readonly string[]) {
      // Set before the write, which may succeed even if its answer is lost.
      deferred.waits = true;
      await store.forgetting.defer({ id: ids.next(), texts }, "model");
    },
    async afterTurn() {
      await apply();
      deferred.waits = false;
    },
    async complete() {
      if (deferred.waits) return false;
      await apply();
      return true;
    },
  };
  return deferred;
}
