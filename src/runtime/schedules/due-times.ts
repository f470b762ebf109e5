// Computes when a schedule is due, from cron expressions, single times and quiet hours in a time zone.
// Invariant: pure; a due time is never in the quiet hours, even on days when daylight saving starts or ends.
import { Cron } from "croner";
import type { ScheduleRecord } from "../../store/port/schedule-store.ts";

export type ScheduleTimes = Pick<ScheduleRecord, "cron" | "at" | "timeZone" | "isEnabled" | "quietHours" | "onQuiet">;

/** A schedule whose next 400 times are in quiet hours counts as never due: 400 daily times are more than a year. */
const maxSkips = 400;

/** Returns the first due time after a moment; null if there is none, or the schedule is disabled. */
export function nextDue(times: ScheduleTimes, after: Date): Date | null {
  if (!times.isEnabled) return null;
  for (let due = nextTime(times, after), skips = 0; due !== null && skips < maxSkips; skips += 1) {
    const end = quietEnd(times, due);
    if (end === null) return due;
    if (times.onQuiet === "delay") return end;
    due = nextTime(times, new Date(end.getTime() - 1));
  }
  return null;
}

/** Returns the end of the quiet hours that contain a moment; null if it is not in quiet hours. */
export function quietEnd({ quietHours, timeZone }: ScheduleTimes, at: Date): Date | null {
  const [start, end] = quietHours === null ? [] : quietHours.split("-");
  if (start === undefined || end === undefined) return null;
  const nextStart = nextTimeOfDay(start, timeZone, at);
  const nextEnd = nextTimeOfDay(end, timeZone, at);
  return nextEnd < nextStart ? nextEnd : null;
}

/** Returns a sentence that says what is wrong with a cron expression; null for a valid one. */
export function cronFault(cron: string): string | null {
  if (isCron(cron)) return null;
  const fields = cron.trim().split(/\s+/u);
  if (fields.length !== cronFields.length) return `the number of its fields is ${fields.length}.`;
  // Finds the field that is not valid even if all other fields are "*".
  const at = fields.findIndex(
    (field, index) => !isCron(cronFields.map((_, each) => (each === index ? field : "*")).join(" ")),
  );
  return at === -1 ? "its fields cannot be combined." : `"${fields[at]}" is not valid as ${cronFields[at]}.`;
}

const cronFields = [
  "the minute (0 to 59)",
  "the hour (0 to 23)",
  "the day of the month (1 to 31)",
  "the month (1 to 12)",
  "the day of the week (0 to 7)",
];

function isCron(cron: string): boolean {
  try {
    cronOf(cron, "UTC");
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the text is a range between two different times of day: `22:00-07:00`. */
export function isQuietHours(text: string): boolean {
  const match = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/u.exec(text);
  return match !== null && match[1] !== match[2];
}

function nextTime({ cron, at, timeZone }: ScheduleTimes, after: Date): Date | null {
  if (cron !== null) return cronOf(cron, timeZone).nextRun(after);
  return at !== null && at > after ? at : null;
}

function nextTimeOfDay(time: string, timeZone: string, after: Date): Date {
  const [hour, minute] = time.split(":");
  // The result is never null, because every day has this time.
  return cronOf(`${Number(minute)} ${Number(hour)} * * *`, timeZone).nextRun(after)!;
}

function cronOf(cron: string, timezone: string): Cron {
  // As in Vixie cron, a change of daylight saving neither skips nor repeats times that are given as lists or ranges.
  return new Cron(cron, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard" });
}
