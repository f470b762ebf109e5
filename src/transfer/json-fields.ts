// Reads fields of JSON values. Another program defines the shape of the values, and may change it without notice.
// Invariant: pure; a field of another type counts as absent, so that one odd value never stops an import.
import { isObject, type JsonObject } from "../base/json-values.ts";

/** Returns the object in a field; an empty one for every other value. */
export function objectAt(value: unknown, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** Returns the list in a field; an empty one for every other value. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** Returns the text in a field; an empty one for every other value. */
export function textAt(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
}

/** Returns the id in a field: a text that is not blank, or a number as text; null for every other value. */
export function idAt(value: unknown, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined;
  if (typeof found === "number") return String(found);
  return typeof found === "string" && found.trim() !== "" ? found : null;
}

/** Times outside of these years count as mistakes; PostgreSQL cannot store all of them. */
const [firstYear, lastYear] = [1970, 9999];
/** Larger numbers are milliseconds: as seconds, they would be after the year 5000. */
const maxSeconds = 100_000_000_000;

/**
 * Returns the time in a field, in milliseconds: seconds or milliseconds as a number, or ISO 8601. Null for every other value.
 */
export function timeAt(value: unknown, key: string): number | null {
  const found = isObject(value) ? value[key] : undefined;
  const time = timeOf(found);
  if (time === null || Number.isNaN(time)) return null;
  const year = new Date(time).getUTCFullYear();
  return year >= firstYear && year <= lastYear && time > 0 ? time : null;
}

function timeOf(value: unknown): number | null {
  if (typeof value === "number") return Math.round(value > maxSeconds ? value : value * 1000);
  if (typeof value !== "string" || value.trim() === "") return null;
  if (/^\d+(?:\.\d+)?$/u.test(value)) return timeOf(Number(value));
  // A time without a zone is read as UTC, because `Date.parse` would use this machine's zone.
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/iu.test(value);
  return Date.parse(hasZone || !/\d:\d/u.test(value) ? value : `${value.replace(" ", "T")}Z`);
}

/** Returns a value as JSON text on several lines; an empty text if it is nested too deeply for that. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}
