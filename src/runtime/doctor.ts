// What a doctor finds in an installation, and what it can mend.
// Invariant: types only.

/** How a check of the doctor's went: `warning` is something to know or mend, `failed` keeps the program from working. */
export type Verdict = "ok" | "warning" | "failed";

/** One check of the doctor's. */
export interface Finding {
  /** Stable, for scripts: `node`, `folder`, `lock`, and so on, as docs/cli.md lists them. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, in a sentence. Never holds a key. */
  readonly found: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
}

export interface DoctorReport {
  readonly findings: readonly Finding[];
  /** What `repair` did, a sentence each. */
  readonly repairs: readonly string[];
}

/** How the lock of a data folder stands, and whether the doctor may remove it. */
export interface LockReport {
  readonly finding: Finding;
  /** `removable`: nobody on this host holds it, and it keeps everybody out. `held` must be left alone. */
  readonly kind: "free" | "removable" | "held";
}

/** Examines an installation. It needs no open Runtime, and what it cannot look at becomes a finding like any other. */
export interface Doctor {
  examine(options?: {
    /** Also makes one tiny model call. */
    readonly online?: boolean;
    /** Mends what can be mended before it looks. */
    readonly repair?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<DoctorReport>;
  lock(): Promise<LockReport>;
  /** Removes a lock that is `removable`. Throws StoreError `store_locked` for one that is held. */
  unlock(): Promise<void>;
}
