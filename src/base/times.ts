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
