// Formats days, timestamps and durations for users and models, and checks the times that callers may pass.
// Invariant: a calendar day is the span between two local midnights, also when daylight saving starts or ends in between; every
// accepted time is stored and read back exactly, to the millisecond.

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::\d{2})?)?$/;

/** Returns `2026-11-21 10:13:01 AM WET+0000`: MemGPT's format, in the given zone (IANA name). */
export function formatTimestamp(at: Date, timeZone: string): string {
  const parts = zoneParts(at, timeZone);
  const { sign, hours, minutes } = offsetAt(at, timeZone);
  const hour12 = parts.hour % 12 === 0 ? 12 : parts.hour % 12;
  const time = `${pad(hour12)}:${pad(parts.minute)}:${pad(parts.second)} ${parts.hour < 12 ? "AM" : "PM"}`;
  return `${dayText(parts)} ${time} ${zoneName(at, timeZone)}${sign}${hours}${minutes}`;
}

/** Returns `Sat 2026-11-21 10:13`: the time of a message, as a model reads it. */
export function formatMinute(at: Date, timeZone: string): string {
  const parts = zoneParts(at, timeZone);
  const weekday = weekdays[new Date(utcTime(parts.year, parts.month - 1, parts.day)).getUTCDay()];
  return `${weekday} ${dayText(parts)} ${pad(parts.hour)}:${pad(parts.minute)}`;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Returns the day of a time in the given zone: `2026-11-21`. */
export function formatDay(at: Date, timeZone: string): string {
  return dayText(zoneParts(at, timeZone));
}

function dayText({ year, month, day }: ZoneParts): string {
  return `${String(year).padStart(4, "0")}-${pad(month)}-${pad(day)}`;
}

/** Returns a zone and its offset at that time: `Europe/Lisbon, UTC+01:00`. */
export function zoneText(at: Date, timeZone: string): string {
  const { sign, hours, minutes } = offsetAt(at, timeZone);
  return `${timeZone}, UTC${sign}${hours}:${minutes}`;
}

/** Returns how long ago a time was, in its two largest units, rounded down: `3 days and 1 hour ago`. */
export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), "day"],
    [Math.floor(minutes / 60) % 24, "hour"],
    [minutes % 60, "minute"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (minutes < 1 || first < 0) return "less than a minute ago";
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return `${shown.map(([count, unit]) => amount(count, unit)).join(" and ")} ago`;
}

/**
 * Returns the first instant of a day `YYYY-MM-DD`, or of a minute `YYYY-MM-DD HH:MM`, in a zone; undefined if there is
 * no such day or minute.
 */
export function startOfDay(day: string, timeZone: string): Date | undefined {
  return localInstant(day, timeZone, 0);
}

/** Returns the first instant after a day or minute, given as for `startOfDay`; undefined for an invalid one. */
export function endOfDay(day: string, timeZone: string): Date | undefined {
  return localInstant(day, timeZone, 1);
}

/** Returns whether the platform knows the zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Returns the first instant of the day or minute that is `offset` days or minutes after `text`, in a zone. */
function localInstant(text: string, timeZone: string, offset: number): Date | undefined {
  const match = dayPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute] = [Number(match[4] ?? 0), Number(match[5] ?? 0)];
  const utc = new Date(utcTime(year, month - 1, date));
  if (year < 1 || utc.getUTCFullYear() !== year || utc.getUTCMonth() !== month - 1 || utc.getUTCDate() !== date) {
    return undefined;
  }
  if (hour > 23 || minute > 59) return undefined;
  const wanted =
    match[4] === undefined
      ? utcTime(year, month - 1, date + offset)
      : utcTime(year, month - 1, date, hour, minute + offset);
  // The zone's offset is read twice, for a guess and for the resulting time, because it may differ between these two.
  const guess = wanted - offsetMs(new Date(wanted), timeZone);
  return new Date(wanted - offsetMs(new Date(guess), timeZone));
}

function offsetAt(at: Date, timeZone: string): Readonly<Record<"sign" | "hours" | "minutes", string>> {
  const offset = offsetMs(at, timeZone);
  const absolute = Math.round(Math.abs(offset) / 60_000);
  return { sign: offset < 0 ? "-" : "+", hours: pad(Math.floor(absolute / 60)), minutes: pad(absolute % 60) };
}

/** Returns a zone's offset from UTC; in milliseconds, because offsets of the 19th century are not whole minutes. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = zoneParts(at, timeZone);
  const local = utcTime(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return local - Math.floor(at.getTime() / 1000) * 1000;
}

interface ZoneParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

// The latest results are cached by second, because the same times are formatted repeatedly: a list has many messages of one
// day, and a server begins many turns in one second.
const latestParts = new Map<string, ZoneParts>();
const maxParts = 64;

function zoneParts(at: Date, timeZone: string): ZoneParts {
  const key = `${timeZone} ${Math.floor(at.getTime() / 1000)}`;
  const known = latestParts.get(key);
  if (known !== undefined) return known;
  const parts = readZoneParts(at, timeZone);
  if (latestParts.size === maxParts) latestParts.clear();
  latestParts.set(key, parts);
  return parts;
}

function readZoneParts(at: Date, timeZone: string): ZoneParts {
  // For years before 1, `Intl` returns positive years BC. So the date 400 years later is formatted: it has the same calendar.
  const cycles = at.getUTCFullYear() < 2 ? 1 : 0;
  const fields = new Map(
    zoneFormat(timeZone)
      .formatToParts(at.getTime() + cycles * calendarCycleMs)
      .map((part) => [part.type, Number(part.value)]),
  );
  const read = (name: Intl.DateTimeFormatPartTypes): number => fields.get(name) ?? 0;
  return {
    year: read("year") - cycles * 400,
    month: read("month"),
    day: read("day"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
  };
}

function zoneName(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" });
  const name = format.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
  return /^[A-Z]+$/.test(name) ? name : "UTC";
}

// Formats are kept: creating one takes about 50 µs, using one 2 µs, and a prompt has a timestamp for each message.
const formats = new Map<string, Intl.DateTimeFormat>();

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Returns the duration in its two largest units, rounded up: `5 hours and 12 minutes`, `40 seconds`. */
export function durationText(ms: number): string {
  const first = Math.max(
    0,
    units.findIndex(([, size]) => ms > size),
  );
  const [large, small] = ms <= 1000 ? [units[3], undefined] : [units[first]!, units[first + 1]];
  if (small === undefined) return amount(Math.max(1, Math.ceil(ms / large[1])), large[0]);
  const rounded = Math.ceil(ms / small[1]) * small[1];
  const rest = (rounded % large[1]) / small[1];
  const whole = amount(Math.floor(rounded / large[1]), large[0]);
  return rest === 0 ? whole : `${whole} and ${amount(rest, small[0])}`;
}

function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Milliseconds in 400 years, after which the calendar repeats. */
const calendarCycleMs = 146_097 * 86_400_000;

/** Returns what `Date.UTC` returns, but accepts years below 100, which `Date.UTC` moves to the 20th century. */
function utcTime(
  year: number,
  monthIndex: number,
  ...rest: readonly [day: number, hour?: number, minute?: number, second?: number]
): number {
  const [day, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year + 400, monthIndex, day, hour, minute, second) - calendarCycleMs;
}

/** The range of accepted years, for error messages. */
export const acceptedYears = "the years 1 to 9999";

/** A description of accepted times that completes "expected …" in an error message. */
export const acceptedTimes = `a time in ${acceptedYears}`;

/** Returns whether a time is in the accepted years; false for an invalid Date. */
export function isAcceptedTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
