// Defines the operations on schedules: messages that are sent to an agent at set times.
// Invariant: each operation acts for the runtime's user only. This file checks types only; expressions and times are
// checked where a schedule is stored.
import { callback, optional, options, signal } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import {
  scheduleFields,
  type ScheduleRecord,
  type ScheduleRun,
  scheduleRunFields,
} from "../../store/port/schedule-store.ts";
import { admin, type Contract, optionalValue, optionsNamed, read, value } from "../contract.ts";

export const scheduleOptions = {
  /** The message to send; `/consolidate` consolidates memory instead. */
  text: scheduleFields.text,
  /** Cron expression with five fields, such as `0 9 * * 1-5`. Either `cron` or `at` is required. */
  cron: form.text,
  /** A single time in the future, instead of `cron`. */
  at: form.moment,
  /** IANA time zone of `cron` and `quietHours`. Default: the agent's. */
  timeZone: scheduleFields.timeZone,
  /** The conversation that the message is sent to. Default `last`: the agent's most recent one. */
  conversation: scheduleFields.conversation,
  /** Whether the schedule is active. Default true. */
  isEnabled: scheduleFields.isEnabled,
  /** What happens if the conversation is busy at a due time. Default `wait`. */
  onBusy: scheduleFields.onBusy,
  /** What happens to a due time that was missed because no process ran. Default `run`. */
  onMissed: scheduleFields.onMissed,
  /** Times of day between which no message is sent: `22:00-07:00`; default null: no quiet hours. */
  quietHours: scheduleFields.quietHours,
  /** What happens to a due time in quiet hours. Default `delay`. */
  onQuiet: scheduleFields.onQuiet,
};

/** The values that are stored for absent options of a new schedule. */
export const scheduleDefaults = {
  text: "",
  cron: null,
  at: null,
  conversation: "last",
  isEnabled: true,
  onBusy: "wait",
  onMissed: "run",
  quietHours: null,
  onQuiet: "delay",
  nextAt: null,
} as const satisfies Omit<ScheduleRecord, "id" | "agentId" | "createdAt" | "timeZone">;

export interface ScheduleOptions extends OptionsOf<typeof scheduleOptions, "text"> {}

export interface RunSchedulesOptions {
  /** Stops the sending of scheduled messages. */
  readonly signal?: AbortSignal;
  /** Called with each run that ended, failed or was skipped in this process. */
  readonly onRun?: (run: ScheduleRun) => void;
}

export interface FiredSchedules {
  /** Number of runs that this call has begun. */
  readonly fired: number;
  /** The next due time of any schedule; null if there is none. */
  readonly nextAt: Date | null;
}

/** Every function with an `id` throws RequestError `schedule_not_found` if the user has no such schedule. */
export interface ScheduleOperations {
  /**
   * Creates a schedule. Throws RequestError `input_invalid` for an invalid expression, time, time zone or text, and for a
   * schedule that is never due.
   */
  create(agent: string, schedule: ScheduleOptions): Promise<ScheduleRecord>;
  /** Returns the schedules of an agent, oldest first. */
  list(agent: string): Promise<readonly ScheduleRecord[]>;
  /** Changes the given fields. A new `cron` removes `at`, and a new `at` removes `cron`. Throws the same errors as `create`. */
  update(id: string, change: Partial<ScheduleOptions>): Promise<ScheduleRecord>;
  /** Deletes a schedule with its runs. Turns that the schedule has begun continue. */
  delete(id: string): Promise<void>;
  /** Returns runs, newest first, at most 100. */
  runs(id: string, limit?: number): Promise<readonly ScheduleRun[]>;
  /** Returns when a process last looked for due schedules of the user; null if no process ever did. */
  lastPolledAt(): Promise<Date | null>;
  /**
   * Fires the schedules that are due now, and takes over the runs of processes that have ended. The turns run in the
   * background: `idle` waits for them.
   */
  fire(options?: Pick<RunSchedulesOptions, "onRun">): Promise<FiredSchedules>;
  /**
   * Fires schedules when they are due, until the signal is aborted or the runtime is closed. Any number of processes can do
   * this at once: each due time is fired once.
   */
  run(options?: RunSchedulesOptions): Promise<void>;
}

const otherNames = { message: "Use `text`.", timezone: "Use `timeZone`.", when: "Use `at` or `cron`." };
const agent = value("agent", form.text);
const id = value("id", form.id);
const onRun = optional(callback);

const notServed = "A process that calls `runtime.schedules.run` fires schedules. A server does not.";

export const scheduleContract = {
  create: {
    args: [agent, optionsNamed("schedule", scheduleOptions, { required: ["text"], otherNames })],
    http: admin("POST /agents/:agent/schedules", "Send a message at set times", scheduleFields, { status: 201 }),
  },
  list: {
    args: [agent],
    http: read("GET /agents/:agent/schedules", "List the schedules of an agent", [scheduleFields]),
  },
  update: {
    args: [id, optionsNamed("change", scheduleOptions, { otherNames })],
    http: admin("PATCH /schedules/:schedule", "Change a schedule", scheduleFields),
  },
  delete: { args: [id], http: admin("DELETE /schedules/:schedule", "Delete a schedule", null) },
  runs: {
    args: [id, optionalValue("limit", form.count)],
    http: read("GET /schedules/:schedule/runs", "List the times at which a schedule was due, newest first", [
      scheduleRunFields,
    ]),
  },
  lastPolledAt: { args: [], http: notServed },
  fire: {
    args: [{ name: "options", check: optional(options<Pick<RunSchedulesOptions, "onRun">>({ onRun })) }],
    http: notServed,
  },
  run: {
    args: [{ name: "options", check: optional(options<RunSchedulesOptions>({ signal: optional(signal), onRun })) }],
    http: notServed,
  },
} as const satisfies Contract<ScheduleOperations>;
