// The lease under which a session writes, while it holds one.
// Invariant: each session is a separate claimant, so two sessions in one process exclude each other as two processes
// do.
import type { Ids } from "../../base/ids.ts";
import type { UserStore } from "../../memory/store.ts";
import type { Lease, LeaseOutcome } from "../../memory/turn-store.ts";

export interface HeldLease {
  readonly claimant: string;
  readonly held: Lease | null;
  /** The held lease. Throws TypeError if there is none, because the write is outside of a turn. */
  readonly current: Lease;
  take(idempotencyKey?: string): Promise<LeaseOutcome>;
  /** Records a lease that was acquired in another commit. */
  hold(lease: Lease): void;
  /** Throws RequestError `lease_lost` if another session has taken the lease. */
  renew(): Promise<void>;
  release(): Promise<void>;
  /** Records that another commit released the lease. */
  drop(): void;
}

export interface LeaseDeps {
  readonly conversationId: string;
  readonly store: UserStore;
  readonly leaseMs: number;
  readonly ids: Ids;
}

export function createHeldLease({ conversationId, store, leaseMs, ids }: LeaseDeps): HeldLease {
  const claimant = ids.next();
  let held: Lease | null = null;
  return {
    claimant,
    get held() {
      return held;
    },
    get current() {
      if (held === null) throw new TypeError("Expected a held lease for a write, got none: take it first.");
      return held;
    },
    async take(idempotencyKey) {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      const outcome = await store.leases.take({ conversationId, claimant, ttlMs: leaseMs, ...key });
      if (outcome.type === "taken") held = outcome.lease;
      return outcome;
    },
    hold(lease) {
      held = lease;
    },
    async renew() {
      if (held !== null) await store.leases.renew(held, leaseMs);
    },
    drop() {
      held = null;
    },
    async release() {
      const released = held;
      held = null;
      if (released !== null) await store.leases.release(released);
    },
  };
}
