// Days and timestamps in a time zone.
// Invariant: a calendar day is the span between two local midnights, whatever daylight saving does in between.

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns `2026-11-21 10:13:01 AM WET+0000`: MemGPT's format, in the given zone (IANA name). */
export function formatTimestamp(at: Date, timeZone: string): string {
  const parts = zoneParts(at, timeZone);
  const offset = offsetMinutes(at, timeZone);
  const sign = offset < 0 ? "-" : "+";
  const absolute = Math.abs(offset);
  const hhmm = `${pad(Math.floor(absolute / 60))}${pad(absolute % 60)}`;
  const hour12 = parts.hour % 12 === 0 ? 12 : parts.hour % 12;
  const time = `${pad(hour12)}:${pad(parts.minute)}:${pad(parts.second)} ${parts.hour < 12 ? "AM" : "PM"}`;
  return `${parts.year}-${pad(parts.month)}-${pad(parts.day)} ${time} ${zoneName(at, timeZone)}${sign}${hhmm}`;
}

/** Returns the first instant of a day `YYYY-MM-DD` in a zone; undefined if there is no such day. */
export function startOfDay(day: string, timeZone: string): Date | undefined {
  return startOfLocalDay(day, timeZone, 0);
}

/** Returns the first instant after a day `YYYY-MM-DD` in a zone; undefined if there is no such day. */
export function endOfDay(day: string, timeZone: string): Date | undefined {
  return startOfLocalDay(day, timeZone, 1);
}

/** Whether the platform knows the zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return true;
  } catch {
    return false;
  }
}

function startOfLocalDay(day: string, timeZone: string, dayOffset: number): Date | undefined {
  const match = dayPattern.exec(day);
  if (match === null) return undefined;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const utc = new Date(Date.UTC(year, month - 1, date));
  if (utc.getUTCFullYear() !== year || utc.getUTCMonth() !== month - 1 || utc.getUTCDate() !== date) return undefined;
  const wanted = Date.UTC(year, month - 1, date + dayOffset);
  // Twice, because the offset at the guess may differ from the offset at local midnight.
  const guess = wanted - offsetMinutes(new Date(wanted), timeZone) * 60_000;
  return new Date(wanted - offsetMinutes(new Date(guess), timeZone) * 60_000);
}

function offsetMinutes(at: Date, timeZone: string): number {
  const parts = zoneParts(at, timeZone);
  const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return Math.round((local - Math.floor(at.getTime() / 1000) * 1000) / 60_000);
}

interface ZoneParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function zoneParts(at: Date, timeZone: string): ZoneParts {
  const fields = new Map(
    zoneFormat(timeZone)
      .formatToParts(at)
      .map((part) => [part.type, Number(part.value)]),
  );
  const read = (name: Intl.DateTimeFormatPartTypes): number => fields.get(name) ?? 0;
  return {
    year: read("year"),
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

// Building a format takes about 50 µs, using it 2: a heartbeat prompt formats one timestamp per message.
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
