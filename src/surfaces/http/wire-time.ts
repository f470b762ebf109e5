// Times in requests: ISO 8601, within the range that can be stored.
import * as z from "zod";
import { acceptedTimes, acceptedYears, isAcceptedTime } from "../../base/calendar.ts";

/** The part of error messages that says how a time must be written. */
const expectedTime = `expected ${acceptedTimes} in ISO 8601, such as 2026-11-21T10:13:00Z`;

/** Returns a schema that converts a time with its zone to a Date. `isLocal`: a time without a zone is accepted, as UTC. */
export function sentTime({ isLocal = false } = {}) {
  return z.iso
    .datetime({ offset: true, local: isLocal, error: expectedTime })
    .transform((text) => new Date(/(?:Z|[+-]\d{2}:?\d{2})$/u.test(text) ? text : `${text}Z`))
    .refine(isAcceptedTime, expectedTime);
}

const isAccepted = (text: string): boolean => isAcceptedTime(new Date(text));

/** Returns a schema for a day, `YYYY-MM-DD`. */
export function sentDay() {
  const expected = `expected a day in ${acceptedYears}, such as 2026-11-21`;
  return z.iso.date({ error: expected }).refine(isAccepted, expected);
}

/** Returns a schema for a day, or for a time with or without its zone; the text stays as it was sent. */
export function sentDayOrTime() {
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], { error: expectedTime })
    .refine(isAccepted, expectedTime);
}
