// Converts calendar days and minutes, as a model or user writes them, to a span of time.
// Invariant: both ends are included, in the agent's time zone.
import { acceptedYears, endOfDay, startOfDay } from "../base/calendar.ts";
import { ToolError } from "../base/errors.ts";
import type { TimeSpan } from "../store/port/page.ts";

export interface DayRange {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/**
 * Returns the span of a range of days. Throws ToolError for a day that is not `YYYY-MM-DD` or `YYYY-MM-DD HH:MM`, and for a
 * range that ends before it starts.
 */
export function spanOfDays({ start, end }: DayRange, timeZone: string): TimeSpan {
  const from = start === undefined ? undefined : startOfDay(start, timeZone);
  const before = end === undefined ? undefined : endOfDay(end, timeZone);
  if (start !== undefined && from === undefined) throw notADay(start);
  if (end !== undefined && before === undefined) throw notADay(end);
  if (from !== undefined && before !== undefined && before <= from) {
    throw new ToolError(`Expected the first day not to be after the last, got ${start} to ${end}.`);
  }
  return { ...(from === undefined ? {} : { from }), ...(before === undefined ? {} : { before }) };
}

function notADay(text: string): ToolError {
  return new ToolError(
    `Expected a day of ${acceptedYears} as YYYY-MM-DD, or with a time as YYYY-MM-DD HH:MM, got "${text.slice(0, 40)}".`,
  );
}
