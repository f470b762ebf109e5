// Parses times in requests: ISO 8601, within the range that can be stored.
import * as z from "zod";
import { acceptedTimes, acceptedYears, formatMinute, isAcceptedTime, startOfDay } from "../../base/calendar.ts";

/** The part of error messages that says how a time must be written. */
const expectedTime = `expected ${acceptedTimes} in ISO 8601, such as 2026-11-21T10:13:00Z`;

const hasZone = (text: string): boolean => /(?:Z|[+-]\d{2}:?\d{2})$/u.test(text);

/** Returns a schema that converts a time with its zone to a Date. `isLocal`: a time without a zone is accepted, as UTC. */
export function sentTime({ isLocal = false } = {}) {
  return z.iso
    .datetime({ offset: true, local: isLocal, error: expectedTime })
    .transform((text) => new Date(hasZone(text) ? text : `${text}Z`))
    .refine(isAcceptedTime, { error: expectedTime, abort: true });
}

const isAccepted = (text: string): boolean => isAcceptedTime(new Date(text));

/** Returns a schema for a day, `YYYY-MM-DD`. */
export function sentDay() {
  const expected = `expected a day in ${acceptedYears}, such as 2026-11-21`;
  return z.iso.date({ error: expected, abort: true }).refine(isAccepted, { error: expected, abort: true });
}

/** Returns a schema for a day, or for a time with or without its zone; the text stays as it was sent. */
export function sentDayOrTime() {
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], { error: expectedTime })
    .refine(isAccepted, expectedTime);
}

/**
 * Converts a day or a time that `sentDayOrTime` accepts to a day or a minute in a zone, as searches accept it. A time
 * without a zone is read in this zone. If the conversion leads outside of the accepted years, the digits stay as sent.
 */
export function dayOrMinuteIn(timeZone: string, sent: string): string {
  const digits = sent.slice(0, "2026-01-01T00:00".length).replace("T", " ");
  const local = hasZone(sent) ? formatMinute(new Date(sent), timeZone).slice("Thu ".length) : digits;
  return startOfDay(local, timeZone) === undefined ? digits : local;
}
