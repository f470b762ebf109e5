// Converts values that are sent to the database or read from it: parameters, ids and times.
// Invariant: every parameter of every statement is converted here, not by callers: texts and JSON lose characters that
// PostgreSQL cannot store, and an id that is not a UUID matches no row instead of failing the statement. Every Date can be
// written and every timestamp read: a time beyond the range of the target type becomes the earliest or latest time in it.
import type { TimeSpan } from "./port/page.ts";
import { storableJson, storableText } from "../base/code-points.ts";

/** The first year of PostgreSQL's calendar, 4714 BC, in JavaScript's numbering. */
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

/** Returns both ends of a span as literals that PostgreSQL reads. An end without a bound is undefined. */
export function spanTexts(span: TimeSpan | undefined): Readonly<Record<"since" | "until", string | undefined>> {
  const { from, before } = span ?? {};
  return { since: from && timeText(from), until: before && timeText(before) };
}

const stored =
  /^(\d{4,})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)( BC)?$/u;

const maxTime = 8.64e15;

/**
 * Parses a time that PostgreSQL wrote as text; `new Date` can parse only some of these texts. Returns a Date unchanged: the
 * driver reads columns as Dates, but timestamps within JSON as texts.
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
  // Years after 275760, which PostgreSQL can store, exceed the range of Date.
  return new Date(Number.isNaN(milliseconds) && years !== undefined ? maxTime : milliseconds);
}

/** Returns a row that was read as part of a JSON value, with the texts in these fields converted to times. */
export function datedRow<Row extends object>(row: Row, fields: readonly (keyof Row)[]): Row {
  const times = fields.map((field) => [field, row[field] === null ? null : timeOf(row[field] as string)]);
  return { ...row, ...(Object.fromEntries(times) as Partial<Row>) };
}

/** Returns the seconds in a list of hours, minutes and seconds; minutes and seconds may be missing. */
function secondsOf(parts: readonly (string | undefined)[]): number {
  return parts.reduce((seconds, part, index) => seconds + Number(part ?? 0) * 60 ** (2 - index), 0);
}

/** Returns whether the text is a UUID in the usual notation, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}

/** An id that no row has, because real ids contain the time of their creation, or random digits. */
const noId = "00000000-0000-0000-0000-000000000000";

/** Returns the id; for a text that is not a UUID, an id that no row has. */
export function storableId(id: string): string {
  return isUuid(id) ? id : noId;
}

/** SQL for the ids in a parameter that is a list of ids. */
export function idsIn(parameter: string): string {
  return `select value::uuid from jsonb_array_elements_text(${parameter}::text::jsonb)`;
}

/** A parameter of a statement. Undefined is sent as null, a list or another object as JSON text. */
export type SqlParameter = string | number | boolean | Date | object | null | undefined;

/**
 * Returns the parameters of a statement in the form that the driver takes. A text counts as an id if the statement casts it
 * to a UUID, and a list as a list of ids if the statement reads it by `idsIn`.
 */
export function sentParameters(
  statement: string,
  parameters: readonly SqlParameter[],
): (string | number | boolean | null)[] {
  return parameters.map((value, index) => {
    if (typeof value === "string") {
      return statement.includes(`$${index + 1}::uuid`) ? storableId(value) : storableText(value);
    }
    if (typeof value !== "object") return value ?? null;
    if (value === null) return null;
    if (value instanceof Date) return timeText(value);
    const areIds = Array.isArray(value) && statement.includes(idsIn(`$${index + 1}`));
    return storableJson(areIds ? (value as readonly string[]).map(storableId) : value);
  });
}
