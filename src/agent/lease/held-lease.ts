// Holds the lease under which a session writes, and renews it while work runs.
// Invariant: each session is a separate claimant, so two sessions in one process exclude each other as two processes
// do. A kept lease is released at the end, with the turn's last events; work that lost its lease is aborted.
import { every } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import { RequestError } from "../../base/errors.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { EventBatch, Lease, LeaseOutcome, LeaseRequest } from "../../store/port/turn-store.ts";
import type { TurnJournal } from "../turn-journal.ts";

/** Where in the queue a session takes the lease: at the place of a queued input, or before all inputs. Default: behind all. */
export type LeaseClaim = Pick<LeaseRequest, "idempotencyKey" | "goesFirst">;

export interface HeldLease {
  readonly claimant: string;
  readonly held: Lease | null;
  /** The held lease. Throws TypeError if there is none, because the write is outside of a turn. */
  readonly current: Lease;
  take(claim?: LeaseClaim): Promise<LeaseOutcome>;
  /** Records a lease that a commit has acquired. */
  hold(lease: Lease): void;
  /** Renews the lease. Throws RequestError `lease_lost` if another session has taken it. */
  renew(): Promise<void>;
  isStopped(): Promise<boolean>;
  /** Stores events of the turn that runs. Does nothing without the lease. */
  keepEvents(events: EventBatch): Promise<void>;
  /** Releases the lease, and stores the turn's last events in the same write. */
  release(events: EventBatch | null): Promise<void>;
  /** Records that a commit has released the lease. */
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
      if (held === null) throw new TypeError("Expected a held lease for a write, got none: take the lease first.");
      return held;
    },
    async take(claim = {}) {
      const outcome = await store.leases.take({ conversationId, claimant, ttlMs: leaseMs, ...claim });
      if (outcome.type === "taken") held = outcome.lease;
      return outcome;
    },
    hold(lease) {
      held = lease;
    },
    async renew() {
      if (held !== null) await store.leases.renew(held, leaseMs);
    },
    isStopped: async () => held !== null && (await store.leases.isStopped(held)),
    async keepEvents(events) {
      if (held !== null) await store.events.append(held, events);
    },
    drop() {
      held = null;
    },
    async release(events) {
      const released = held;
      held = null;
      if (released !== null) await store.leases.release(released, events);
    },
  };
}

/** The functions of a held lease that `keepLease` and the work under the lease use. */
export type KeepableLease = Pick<HeldLease, "current" | "renew" | "isStopped" | "keepEvents" | "release">;

export interface KeptLease {
  /** Aborts when the lease is lost, or when a request to stop the turn is found. */
  readonly signal: AbortSignal;
  /** Throws RequestError `lease_lost` if the lease was lost. */
  check(): void;
  /** From now on, stores the turn's events and checks for a request to stop, both regularly. `end` stores the last events. */
  watch(journal: TurnJournal): void;
  /** Stops the renewals and releases the lease. Does not throw. */
  end(): Promise<void>;
}

/**
 * Renews the lease while work runs under it, and releases it at the end. Aborts the work if another session took the
 * lease. Call it before the lease is taken; the renewals begin once the lease is held.
 */
export function keepLease(held: KeepableLease, leaseMs: number): KeptLease {
  const ended = new AbortController();
  let loss: RequestError | null = null;
  // Only the loss of the lease to another session ends the renewals. After an outage of the database, the lease may have
  // expired without notice; then the next commit fails.
  const renew = async (): Promise<void> => {
    try {
      await held.renew();
    } catch (error) {
      if (!(error instanceof RequestError)) return;
      loss = error;
      ended.abort(error);
      throw error;
    }
  };
  const stopRenewing = every(leaseMs / 3, renew);
  let journal: TurnJournal | null = null;
  let stopWatching = (): void => undefined;
  const checkStop = async (): Promise<void> => {
    if (await held.isStopped().catch(() => false)) ended.abort();
  };
  // Events that cannot be stored stay in the journal for the next write.
  const keepEvents = async (): Promise<void> => {
    if (!journal?.isPending) return;
    await journal.store(async (events) => events && held.keepEvents(events)).catch(() => undefined);
  };
  return {
    signal: ended.signal,
    check() {
      if (loss !== null) throw loss;
    },
    watch(turn) {
      journal = turn;
      const ends = [every(keepEventsEveryMs, keepEvents), every(checkStopEveryMs, checkStop)];
      stopWatching = () => {
        for (const end of ends) end();
      };
    },
    async end() {
      stopRenewing();
      stopWatching();
      const release = (events: EventBatch | null): Promise<void> => held.release(events);
      // If the release fails, the lease expires; what was committed stays.
      await (journal === null ? release(null) : journal.store(release)).catch(() => undefined);
    },
  };
}

/** Milliseconds between two writes of a running turn's events, for readers in other processes. */
const keepEventsEveryMs = 200;

/** Milliseconds between two checks whether the turn is to stop. */
const checkStopEveryMs = 500;
