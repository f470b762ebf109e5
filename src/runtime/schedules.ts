// Operations on schedules: messages that are sent to an agent at set times.
// Invariant: types only; each operation acts for the runtime's user only.
import type { ScheduleRecord, ScheduleRun } from "../store/port/schedule-store.ts";

export interface ScheduleOptions {
  /** The message to send. */
  readonly text: string;
  /** Cron expression with five fields, such as `0 9 * * 1-5`; or give `at`. */
  readonly cron?: string;
  /** A single time, in the future. */
  readonly at?: Date;
  /** IANA time zone of `cron` and `quietHours`. Default: the agent's. */
  readonly timeZone?: string;
  /** Default `last`: it continues the agent's last conversation. */
  readonly conversation?: ScheduleRecord["conversation"];
  /** Default true. */
  readonly isEnabled?: boolean;
  /** Default `wait`. */
  readonly onBusy?: ScheduleRecord["onBusy"];
  /** Default `run`. */
  readonly onMissed?: ScheduleRecord["onMissed"];
  /** `22:00-07:00`; default null, none. */
  readonly quietHours?: string | null;
  /** Default `delay`. */
  readonly onQuiet?: ScheduleRecord["onQuiet"];
}

export interface RunSchedulesOptions {
  /** Stops it. */
  readonly signal?: AbortSignal;
  /** Called with each run that ended, failed or was skipped here. */
  readonly onRun?: (run: ScheduleRun) => void;
}

export interface FiredSchedules {
  /** Number of messages whose turns this call has begun. */
  readonly fired: number;
  /** The next due time; null if there is none. */
  readonly nextAt: Date | null;
}

/** Every function with an `id` throws RequestError `schedule_not_found`. */
export interface ScheduleOperations {
  /**
   * Throws RequestError `input_invalid` for an invalid expression, time, time zone or text, and for a schedule that is never
   * due.
   */
  create(agent: string, schedule: ScheduleOptions): Promise<ScheduleRecord>;
  /** Oldest first. */
  list(agent: string): Promise<readonly ScheduleRecord[]>;
  /** Changes what is given. `cron` replaces `at`, and the other way round. Throws as `create`. */
  update(id: string, change: Partial<ScheduleOptions>): Promise<ScheduleRecord>;
  /** Deletes it with its runs. Turns that it has begun go on. */
  delete(id: string): Promise<void>;
  /** Returns the last runs, newest first, at most 100. */
  runs(id: string, limit?: number): Promise<readonly ScheduleRun[]>;
  /** Returns when a process last looked for due schedules of the user; null if none did. */
  lastPolledAt(): Promise<Date | null>;
  /**
   * Fires what is due now, and takes over the runs of processes that are gone. The turns run in the background: `idle` waits for
   * them.
   */
  fire(options?: Pick<RunSchedulesOptions, "onRun">): Promise<FiredSchedules>;
  /**
   * Fires schedules when they are due, until the signal is aborted or the runtime is closed. Any number of processes can do
   * this at once: each due time is fired once.
   */
  run(options?: RunSchedulesOptions): Promise<void>;
}
