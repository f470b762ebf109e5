// Values as they are sent to the database and read from it: parameters, ids and times.
// Invariant: every parameter of every statement is converted here, so no caller has to: a text or JSON with characters that
// PostgreSQL cannot store loses them, and an id that is not a UUID identifies no row instead of failing the statement. Every Date is
// written and every timestamp is read; a time that the other side cannot represent becomes the earliest or latest that it can.
import type { TimeSpan } from "./port/page.ts";
import { storableJson, storableText } from "../base/code-points.ts";

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

/** Whether the text is a UUID in the usual notation, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}

/** No row has it: ids contain the time of their creation, or random digits. */
const noId = "00000000-0000-0000-0000-000000000000";

/** Returns the id, or for a text that is not a UUID one that no row has. */
export function storableId(id: string): string {
  return isUuid(id) ? id : noId;
}

/** SQL for the ids in a parameter that is a list of ids. */
export function idsIn(parameter: string): string {
  return `select value::uuid from jsonb_array_elements_text(${parameter}::text::jsonb)`;
}

/** Undefined is sent as null, a list or another object as JSON text. */
export type SqlParameter = string | number | boolean | Date | object | null | undefined;

/** Returns the parameters of a statement as the driver takes them. A text is an id where the statement casts it to one, and a list has ids where the statement reads it by `idsIn`. */
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
