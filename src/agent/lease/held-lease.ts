// The lease that a session writes under, while it has one.
// Invariant: each session is a claimant of its own, so two in one process keep each other out like two processes do.
import type { Ids } from "../../base/ids.ts";
import type { UserStore } from "../../memory/store.ts";
import type { Lease, LeaseOutcome } from "../../memory/turn-store.ts";

export interface HeldLease {
  readonly claimant: string;
  readonly held: Lease | null;
  /** The lease that is held. Throws when there is none: a write outside of a turn. */
  readonly current: Lease;
  take(idempotencyKey?: string): Promise<LeaseOutcome>;
  /** Notes a lease that was taken with something else. */
  hold(lease: Lease): void;
  /** Throws RequestError `lease_lost` when somebody else has taken it. */
  renew(): Promise<void>;
  release(): Promise<void>;
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
      if (held === null) throw new TypeError("A session writes under a lease: take it first.");
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
    async release() {
      const released = held;
      held = null;
      if (released !== null) await store.leases.release(released);
    },
  };
}
