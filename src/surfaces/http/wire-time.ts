// Times in requests: ISO 8601, in the range that can be stored.
import * as z from "zod";
import { acceptedTimes, acceptedYears, isAcceptedTime } from "../../base/calendar.ts";

/** For messages: what a time in a request has to be. */
const expectedTime = `expected ${acceptedTimes} in ISO 8601, such as 2026-11-21T10:13:00Z`;

/** A time with its zone; `isLocal`: without a zone it is in UTC. */
export function sentTime({ isLocal = false } = {}) {
  return z.iso
    .datetime({ offset: true, local: isLocal, error: expectedTime })
    .transform((text) => new Date(/(?:Z|[+-]\d{2}:?\d{2})$/u.test(text) ? text : `${text}Z`))
    .refine(isAcceptedTime, expectedTime);
}

const isAccepted = (text: string): boolean => isAcceptedTime(new Date(text));

/** A day, `YYYY-MM-DD`. */
export function sentDay() {
  const expected = `expected a day in ${acceptedYears}, such as 2026-11-21`;
  return z.iso.date({ error: expected }).refine(isAccepted, expected);
}

/** A day, or a time with or without its zone, as the text that was sent. */
export function sentDayOrTime() {
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], { error: expectedTime })
    .refine(isAccepted, expectedTime);
}
