// Types of the doctor: its findings about an installation, and the repairs that it makes.
// Invariant: types only.

/** The result of a check: `warning` needs attention, `failed` prevents Palimpsest from working. */
export type Verdict = "ok" | "warning" | "failed";

export interface Finding {
  /** A stable name of the check for scripts: `node`, `folder`, `lock`, and so on, as docs/cli.md lists them. */
  readonly check: string;
  readonly verdict: Verdict;
  /** The result in one sentence. Never contains an API key. */
  readonly found: string;
  /** What the user can do about it; null if nothing needs to be done. */
  readonly advice: string | null;
}

export interface DoctorReport {
  readonly findings: readonly Finding[];
  /** The repairs that were made, one sentence each. */
  readonly repairs: readonly string[];
}

/** The state of a data folder's lock. */
export interface LockReport {
  readonly finding: Finding;
  /** `removable`: no process on this host holds the lock, but it blocks every process. `held`: the lock must not be removed. */
  readonly kind: "free" | "removable" | "held";
}

/** Examines an installation without an open Runtime. A check that cannot run becomes a finding. */
export interface Doctor {
  examine(options?: {
    /** Whether one small model call is made too. Default false. */
    readonly online?: boolean;
    /** Whether the possible repairs are made before the checks. Default false. */
    readonly repair?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<DoctorReport>;
  /** Returns the state of the data folder's lock. */
  lock(): Promise<LockReport>;
  /** Removes a lock that is `removable`. Throws StoreError `store_locked` for a lock that is `held`. */
  unlock(): Promise<void>;
}
