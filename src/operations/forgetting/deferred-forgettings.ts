// Forgettings that a running turn has asked for: they wait until it ends, because a forgetting interrupts turns.
// Invariant: what waits is stored, so that the next opening applies what a killed process has left.
import type { Ids } from "../../base/ids.ts";
import type { ForgettingStore } from "../../memory/forgetting-store.ts";

export interface DeferredForgettings {
  /** Stores texts that are forgotten when the running turn ends. */
  defer(texts: readonly string[]): Promise<void>;
  /** Forgets what the turns of this runtime have deferred. Returns false, without a query, if that is nothing. */
  afterTurn(): Promise<boolean>;
  /** Forgets what an ended process has left. Returns false if a turn of this runtime is to do it when it ends. */
  complete(): Promise<boolean>;
}

interface DeferralDeps {
  readonly ids: Ids;
  readonly store: { readonly forgetting: Pick<ForgettingStore, "defer" | "pending"> };
}

/** `apply` applies all that wait, of any process. */
export function createDeferredForgettings(
  { store, ids }: DeferralDeps,
  apply: () => Promise<void>,
): DeferredForgettings {
  let waits = false;
  return {
    async defer(texts) {
      // Before the write: if its answer is lost, it may have been done.
      waits = true;
      await store.forgetting.defer({ id: ids.next(), texts }, "model");
    },
    async afterTurn() {
      if (!waits) return false;
      await apply();
      waits = false;
      return true;
    },
    async complete() {
      if (waits) return false;
      await apply();
      return true;
    },
  };
}
