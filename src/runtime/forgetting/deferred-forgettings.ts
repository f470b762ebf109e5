// Forgettings that a running turn requested. They wait until the turn ends, because a forgetting interrupts turns.
// Invariant: deferred forgettings are stored, so that those of a killed process are applied when an agent is opened next.
import type { Ids } from "../../base/ids.ts";
import type { ForgettingStore } from "../../store/port/forgetting-store.ts";

export interface DeferredForgettings {
  /** Stores texts to be forgotten when the running turn ends. */
  defer(texts: readonly string[]): Promise<void>;
  /** Whether a turn of this runtime has deferred a forgetting. Read at the end of every turn, so it costs no query. */
  readonly waits: boolean;
  /** Applies the forgettings that turns of this runtime have deferred. */
  afterTurn(): Promise<void>;
  /** Applies the deferred forgettings of all processes. Returns false if it leaves this to a turn of this runtime. */
  complete(): Promise<boolean>;
}

interface DeferralDeps {
  readonly ids: Ids;
  readonly store: { readonly forgetting: Pick<ForgettingStore, "defer" | "pending"> };
}

/** Creates the deferred forgettings of a runtime. `apply` must apply the deferred forgettings of all processes. */
export function createDeferredForgettings(
  { store, ids }: DeferralDeps,
  apply: () => Promise<void>,
): DeferredForgettings {
  let applying = 0;
  const deferred = {
    waits: false,
    async defer(texts: readonly string[]) {
      // `waits` is set before the write, which may succeed even if its response is lost.
      deferred.waits = true;
      try {
        await store.forgetting.defer({ id: ids.next(), texts }, "model");
      } finally {
        // The end of another turn may have cleared `waits` before the write.
        deferred.waits = true;
      }
    },
    async afterTurn() {
      // `waits` is cleared first, because another turn may defer a forgetting too late for `apply` to read it.
      deferred.waits = false;
      applying += 1;
      try {
        await apply();
      } catch (error) {
        deferred.waits = true;
        throw error;
      } finally {
        applying -= 1;
      }
    },
    async complete() {
      if (deferred.waits || applying > 0) return false;
      await apply();
      return true;
    },
  };
  return deferred;
}
