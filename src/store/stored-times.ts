// Times as texts of the database: in ISO 8601 with any year, with the era for years before 1.
// Invariant: every Date is written and every timestamp is read; a time that the other side cannot represent becomes the
// earliest or latest that it can.
import type { TimeSpan } from "./port/page.ts";

/** The first year of PostgreSQL's calendar, 4714 BC, as JavaScript counts years. */
const firstYear = -4713;

/** Returns the time as a literal that PostgreSQL reads. */
export function timeText(time: Date): string {
  const year = time.getUTCFullYear();
  const text = time.toISOString();
  if (year >= 1 && year <= 9999) return text;
  if (year <= firstYear) return "-infinity";
  const rest = text.slice(text.indexOf("-", 1));
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`;
}

/** Returns both ends of a span as such literals; undefined: no bound, and no condition in the statement. */
export function spanTexts(span: TimeSpan | undefined): Readonly<Record<"since" | "until", string | undefined>> {
  const { from, before } = span ?? {};
  return { since: from && timeText(from), until: before && timeText(before) };
}

const stored =
  /^(\d{4,})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)( BC)?$/u;

const maxTime = 8.64e15;

/**
 * Returns the time of a timestamp with its zone, as PostgreSQL writes it. JavaScript reads only some of these texts. A time is
 * returned as it is: a column is read as one, unless it is part of a JSON value.
 */
export function timeOf(text: string | Date): Date {
  if (typeof text !== "string") return text;
  if (text === "infinity" || text === "-infinity") return new Date(text === "infinity" ? maxTime : -maxTime);
  const [, years, month, day, hour, minute, second, fraction = "", sign, ...zone] = stored.exec(text) ?? [];
  const year = zone.pop() === undefined ? Number(years) : 1 - Number(years);
  const offset = secondsOf(zone) * (sign === "-" ? -1000 : 1000);
  const time = new Date(0);
  time.setUTCFullYear(year, Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, "0")));
  const milliseconds = time.getTime() - offset;
  // After the year 275760, which is later than any Date.
  return new Date(Number.isNaN(milliseconds) && years !== undefined ? maxTime : milliseconds);
}

/** Returns a row that was read as part of a JSON value, where these fields are still texts, with their times. */
export function datedRow<Row extends object>(row: Row, fields: readonly (keyof Row)[]): Row {
  const times = fields.map((field) => [field, row[field] === null ? null : timeOf(row[field] as string)]);
  return { ...row, ...(Object.fromEntries(times) as Partial<Row>) };
}

/** Of hours, minutes and seconds; the last ones may be missing. */
function secondsOf(parts: readonly (string | undefined)[]): number {
  return parts.reduce((seconds, part, index) => seconds + Number(part ?? 0) * 60 ** (2 - index), 0);
}
