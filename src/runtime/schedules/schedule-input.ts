// Checks the options of a schedule, and adds the defaults.
// Invariant: a schedule that is stored has a valid expression or time, time zone and quiet hours, and is due at least once
// after that.
import { isTimeZone } from "../../base/calendar.ts";
import { RequestError } from "../../base/errors.ts";
import type { ScheduleRecord } from "../../store/port/schedule-store.ts";
import type { ScheduleOptions } from "./contract.ts";
import { cronFault, isQuietHours, nextDue } from "./due-times.ts";

/** A schedule without the fields that the store adds. */
export type ScheduleDraft = Omit<ScheduleRecord, "id" | "agentId" | "createdAt">;

/** Returns `current` with the change, and with its next due time after `now`. Throws RequestError `input_invalid`. */
export function changedSchedule(current: ScheduleDraft, change: Partial<ScheduleOptions>, now: Date): ScheduleDraft {
  if (change.cron !== undefined && change.at !== undefined)
    throw invalid("Expected a cron expression or a time, got both.");
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const times = change.cron === undefined ? (change.at === undefined ? {} : { cron: null }) : { at: null };
  const changed: ScheduleDraft = { ...current, ...given, ...times };
  checkSchedule(changed);
  // If only another option changes, such as the text, a past single time does not become due again.
  if (current.nextAt === null && current.isEnabled && !changesTimes(change)) return changed;
  const nextAt = nextDue(changed, now);
  if (nextAt === null && changed.isEnabled) throw neverDue(changed, now);
  return { ...changed, nextAt };
}

function changesTimes({ cron, at, timeZone, isEnabled, quietHours, onQuiet }: Partial<ScheduleOptions>): boolean {
  return [cron, at, timeZone, isEnabled, quietHours, onQuiet].some((value) => value !== undefined);
}

function checkSchedule(schedule: ScheduleDraft): void {
  const { text, cron, at, timeZone, quietHours } = schedule;
  if (text.trim() === "") throw invalid("Expected a message with some text in it, got a blank one.");
  if (cron === null && at === null) throw invalid("Expected a cron expression or a time, got neither.");
  if (at !== null && Number.isNaN(at.getTime())) throw invalid("Expected a time, got an invalid date.");
  const fault = cron === null ? null : cronFault(cron);
  if (fault !== null) {
    throw invalid(`Expected a cron expression with five fields such as "0 9 * * 1-5", got "${cron}": ${fault}`);
  }
  if (!isTimeZone(timeZone)) throw invalid(`Expected an IANA time zone such as Europe/Lisbon, got "${timeZone}".`);
  if (quietHours !== null && !isQuietHours(quietHours)) {
    throw invalid(`Expected quiet hours as two times such as 22:00-07:00, got "${quietHours}".`);
  }
}

function neverDue({ at, quietHours }: ScheduleDraft, now: Date): RequestError {
  if (at !== null && at <= now) {
    return invalid(`Expected a time in the future, got ${at.toISOString()}; the time now is ${now.toISOString()}.`);
  }
  const quiet = quietHours === null ? "" : ` outside of the quiet hours ${quietHours}`;
  return invalid(`Expected a schedule that is due at some time${quiet}, got a schedule that is never due.`);
}

function invalid(message: string): RequestError {
  return new RequestError("input_invalid", message);
}
