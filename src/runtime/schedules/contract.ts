// What a program can do with schedules: messages that are sent to an agent at set times.
// Invariant: each operation acts for the runtime's user only. Only shapes are checked here; expressions and times are checked
// where a schedule is stored.
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
  /** Cron expression with five fields, such as `0 9 * * 1-5`; or give `at`. */
  cron: form.text,
  /** A single time, in the future. */
  at: form.moment,
  /** IANA time zone of `cron` and `quietHours`. Default: the agent's. */
  timeZone: scheduleFields.timeZone,
  /** Default `last`: it continues the agent's last conversation. */
  conversation: scheduleFields.conversation,
  /** Default true. */
  isEnabled: scheduleFields.isEnabled,
  /** Default `wait`. */
  onBusy: scheduleFields.onBusy,
  /** Default `run`. */
  onMissed: scheduleFields.onMissed,
  /** `22:00-07:00`; default null, none. */
  quietHours: scheduleFields.quietHours,
  /** Default `delay`. */
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
  /** Stops firing schedules. */
  readonly signal?: AbortSignal;
  /** Called with each run that ended, failed or was skipped in this process. */
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
   * Creates a schedule. Throws RequestError `input_invalid` for an invalid expression, time, time zone or text, and for a
   * schedule that is never due.
   */
  create(agent: string, schedule: ScheduleOptions): Promise<ScheduleRecord>;
  /** Returns the schedules of an agent, oldest first. */
  list(agent: string): Promise<readonly ScheduleRecord[]>;
  /** Changes the given fields. `cron` replaces `at`, and the other way round. Throws the same errors as `create`. */
  update(id: string, change: Partial<ScheduleOptions>): Promise<ScheduleRecord>;
  /** Deletes a schedule with its runs. Turns that it has begun continue. */
  delete(id: string): Promise<void>;
  /** Returns the last runs, newest first, at most 100. */
  runs(id: string, limit?: number): Promise<readonly ScheduleRun[]>;
  /** Returns when a process last looked for due schedules of the user; null if none did. */
  lastPolledAt(): Promise<Date | null>;
  /**
   * Fires what is due now, and takes over the runs of processes that are gone. The turns run in the background: `idle` waits
   * for them.
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
  lastPolledAt: { args: [], http: "A server fires schedules itself." },
  fire: {
    args: [{ name: "options", check: optional(options<Pick<RunSchedulesOptions, "onRun">>({ onRun })) }],
    http: "A server fires schedules itself.",
  },
  run: {
    args: [{ name: "options", check: optional(options<RunSchedulesOptions>({ signal: optional(signal), onRun })) }],
    http: "A server fires schedules itself.",
  },
} as const satisfies Contract<ScheduleOperations>;
