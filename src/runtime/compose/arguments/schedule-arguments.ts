// The arguments and options of the functions for schedules, with the check of each.
// Invariant: only shapes are checked here; expressions and times are checked where a schedule is stored.
import {
  callback,
  type CallChecks,
  count,
  date,
  flag,
  later,
  nullable,
  oneOf,
  optional,
  options,
  signal,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type { RunSchedulesOptions, ScheduleOperations, ScheduleOptions } from "../../schedules.ts";

const agent = ["agent", text] as const;
const limit = ["limit", optional(count)] as const;

const schedule = {
  text: optional(text),
  cron: optional(text),
  at: optional(date),
  timeZone: optional(text),
  conversation: optional(oneOf("last", "new")),
  isEnabled: optional(flag),
  onBusy: optional(oneOf("wait", "skip")),
  onMissed: optional(oneOf("run", "skip")),
  quietHours: optional(nullable(text)),
  onQuiet: optional(oneOf("delay", "skip")),
};
const scheduleNames = {
  otherNames: { message: "Use `text`.", timezone: "Use `timeZone`.", when: "Use `at` or `cron`." },
};

export const scheduleChecks: CallChecks<ScheduleOperations> = {
  create: later(agent, ["schedule", options<ScheduleOptions>({ ...schedule, text }, scheduleNames)]),
  list: later(agent),
  update: later(["id", text], ["change", options<ScheduleOptions>(schedule, scheduleNames)]),
  delete: later(["id", text]),
  runs: later(["id", text], limit),
  fire: later(["options", optional(options<Pick<RunSchedulesOptions, "onRun">>({ onRun: optional(callback) }))]),
  run: later([
    "options",
    optional(options<RunSchedulesOptions>({ signal: optional(signal), onRun: optional(callback) })),
  ]),
};
