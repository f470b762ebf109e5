// The part of the store's port that drops rows that no turn needs, and counts a user's data.
// Invariant: rows are counted in the transaction that drops them.
import { form, type RecordOf } from "../../base/arguments/forms.ts";

/**
 * How much data that no turn needs is kept, for each user of the agent. Absent limits keep everything. Messages in a window,
 * and the newest revision of a module, are never dropped.
 */
export interface RetentionSettings {
  readonly messages?: { readonly days?: number | undefined; readonly megabytes?: number | undefined } | undefined;
  readonly revisions?: { readonly days?: number | undefined; readonly perModule?: number | undefined } | undefined;
  readonly steps?: { readonly days?: number | undefined } | undefined;
  /**
   * Limits of the agent's own archive, in passages and megabytes of text. Above them, passages are dropped: replaced ones
   * first, then the least important.
   */
  readonly passages?: { readonly rows?: number | undefined; readonly megabytes?: number | undefined } | undefined;
}

export type RetainedKind = keyof RetentionSettings;

/** The rows that were dropped. `through`: the time of the newest of them; null if none was dropped. */
export interface DroppedRows {
  readonly rows: number;
  readonly through: Date | null;
}

/** One application of an agent's retention policy, and what it dropped. */
export const sweepFields = {
  id: form.id,
  agentId: form.id,
  at: form.moment,
  /** The limits at the time of the sweep. */
  limits: form.object<RetentionSettings>(),
  dropped: form.object<Readonly<Record<RetainedKind, DroppedRows>>>(),
};

export interface SweepRecord extends RecordOf<typeof sweepFields> {}

/** The kind and the maximum number of rows that one batch of a sweep drops. */
export interface SweepPart extends Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> {
  readonly kind: RetainedKind;
  /** Maximum number of rows. */
  readonly batch: number;
}

export interface RetentionStore {
  /**
   * Starts a sweep. Returns false, with nothing written, if another sweep was started after `unlessAfter`. Sweeps that applied
   * only the limits of passages do not count.
   */
  begin(
    sweep: Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> & { readonly unlessAfter: Date | null },
  ): Promise<boolean>;
  /**
   * Drops the first rows over the limits (the oldest; of passages, the replaced ones, then the least important), and counts them
   * in the sweep, in one transaction. Fewer rows than the batch size mean that no further rows exceed the limits.
   */
  drop(part: SweepPart): Promise<DroppedRows>;
  /** Returns whether the agent's own archive exceeds its limits. */
  isOver(agentId: string, limits: NonNullable<RetentionSettings["passages"]>): Promise<boolean>;
  /** Returns the agent's sweeps, newest first. */
  list(agentId: string, limit: number): Promise<readonly SweepRecord[]>;
}

/** The amount of a user's data. */
export interface StorageUsage {
  /** Number of agents that the user owns. */
  readonly agents: number;
  /** Number of other users who may use at least one of these agents. */
  readonly sharedWith: number;
  readonly conversations: number;
  readonly messages: number;
  /** Number of passages of archives and of sources. */
  readonly passages: number;
  readonly sources: number;
}

export interface UsageStore {
  /** Returns the amount of the user's data; null for an unknown user. */
  count(): Promise<StorageUsage | null>;
  /**
   * Deletes the user with all their data. Other users keep their data with agents that this user owned. Throws
   * RequestError `user_not_found`.
   */
  delete(): Promise<void>;
}
