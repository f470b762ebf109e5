// The times that callers may give: those of the years 1 to 9999, which ISO 8601 writes with four digits.
// Invariant: every accepted time is stored and read back exactly, to the millisecond.

/** For messages. */
export const acceptedYears = "the years 1 to 9999";

/** Completes "expected" in a message. */
export const acceptedTimes = `a time in ${acceptedYears}`;

/** False for an invalid Date, too. */
export function isAcceptedTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** Milliseconds in 400 years, after which the calendar repeats. */
export const calendarCycleMs = 146_097 * 86_400_000;

/** `Date.UTC`, which takes a year below 100 for one of the 20th century, for all years. */
export function utcTime(
  year: number,
  monthIndex: number,
  ...rest: readonly [day: number, hour?: number, minute?: number, second?: number]
): number {
  const [day, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year + 400, monthIndex, day, hour, minute, second) - calendarCycleMs;
}
