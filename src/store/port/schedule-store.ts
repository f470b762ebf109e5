// The part of the store's port for schedules: messages that are sent to an agent at set times, and their runs.
// Invariant: a due time is claimed by one process; its run is changed only by the process that holds the claim.
import { form, type RecordOf } from "../../base/arguments/forms.ts";

/** A message that is sent to an agent at set times. */
export const scheduleFields = {
  id: form.id,
  agentId: form.id,
  text: form.text,
  /** A cron expression with five fields; null for a schedule with a single time. */
  cron: form.nullable(form.text),
  /** The single time; null for a schedule with a cron expression. */
  at: form.nullable(form.moment),
  /** IANA time zone of the cron expression and the quiet hours. */
  timeZone: form.text,
  /** Whether the schedule continues the agent's last conversation or starts a new one each time. */
  conversation: form.choice("last", "new"),
  isEnabled: form.flag,
  /** If another turn of the conversation runs: `wait` queues the message, `skip` does not send it. */
  onBusy: form.choice("wait", "skip"),
  /**
   * If no process sent the message within a minute of its due time: `run` sends it once, however many due times have passed;
   * `skip` does not.
   */
  onMissed: form.choice("run", "skip"),
  /** Quiet hours such as `22:00-07:00`; the second time is not included. Null for none. */
  quietHours: form.nullable(form.text),
  /** If the message is due in the quiet hours: `delay` sends it once at their end, `skip` does not send it. */
  onQuiet: form.choice("delay", "skip"),
  /** The next due time; null while the schedule is disabled, and when no due time is left. */
  nextAt: form.nullable(form.moment),
  createdAt: form.moment,
};

export interface ScheduleRecord extends RecordOf<typeof scheduleFields> {}

/** One occurrence of a schedule. */
export const scheduleRunFields = {
  scheduleId: form.id,
  dueAt: form.moment,
  status: form.choice("running", "ended", "skipped", "failed"),
  /**
   * For `ended`, the stop reason of the turn, or the status of the consolidation (`nothing` if none ran); for
   * `skipped`, `approval`, `busy`, `missed` or `quiet`; for `failed`, the error code; null while the turn runs.
   */
  outcome: form.nullable(form.text),
  /** The conversation of the run; null before it is open. */
  conversationId: form.nullable(form.id),
  /** The turn of the run; null before it has begun. */
  turnId: form.nullable(form.id),
  createdAt: form.moment,
};

export interface ScheduleRun extends RecordOf<typeof scheduleRunFields> {}

/** A process's right to a run. */
export interface RunClaim {
  readonly scheduleId: string;
  readonly dueAt: Date;
  /** Identifies the process that holds the claim. */
  readonly claim: string;
}

export type RunChange = Partial<Pick<ScheduleRun, "status" | "outcome" | "conversationId" | "turnId">> & {
  /** When another process may take over the run, while its status is `running`. */
  readonly claimedUntil?: Date;
};

export interface Advance {
  /** The schedule's next due time as this process read it. Nothing is written if it has changed since. */
  readonly from: Date;
  readonly to: Date | null;
  /** The run for the due time `from`; null to move the due time without a run. */
  readonly run: (Pick<ScheduleRun, "status" | "outcome"> & { readonly claim: string; readonly until: Date }) | null;
}

export interface DueSchedules {
  /** Schedules with a due time up to now, earliest first. */
  readonly due: readonly ScheduleRecord[];
  /** Runs whose claim has expired, because their process no longer renews it. */
  readonly abandoned: readonly ScheduleRun[];
  /** The earliest due time after now; null if there is none. */
  readonly nextAt: Date | null;
}

export type ScheduleChange = Partial<Omit<ScheduleRecord, "id" | "agentId" | "createdAt">>;

export interface ScheduleStore {
  /** Creates a schedule. Throws RequestError `agent_not_found` and `grant_ended`. */
  create(schedule: ScheduleRecord): Promise<void>;
  find(id: string): Promise<ScheduleRecord | null>;
  /** Lists the agent's schedules, oldest first. */
  list(agentId: string): Promise<readonly ScheduleRecord[]>;
  /** Changes a schedule. Returns false if there is none with this id. */
  update(id: string, change: ScheduleChange): Promise<boolean>;
  /** Deletes a schedule with its runs. Returns false if there is none with this id. */
  delete(id: string): Promise<boolean>;
  /** Returns at most `limit` runs, newest first. Only the runs of the last 100 due times are kept. */
  runs(id: string, limit: number): Promise<readonly ScheduleRun[]>;
  /** Returns due schedules and abandoned runs, at most 100 of each, and records that a process has polled. */
  poll(now: Date): Promise<DueSchedules>;
  /** Returns when a process last called `poll`; null if none has. */
  polledAt(): Promise<Date | null>;
  /** Moves the next due time and stores the run. Returns false, with nothing written, if another process has moved it. */
  advance(id: string, advance: Advance): Promise<boolean>;
  /** Takes over a run. Returns false if its process has renewed its claim, or another process was first. */
  takeOver(claim: RunClaim, times: { readonly now: Date; readonly until: Date }): Promise<boolean>;
  /** Changes a run. Returns false, with nothing written, if the claim is lost. */
  record(claim: RunClaim, change: RunChange): Promise<boolean>;
}
