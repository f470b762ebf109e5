// Days on the command line.
import { acceptedYears, startOfDay } from "../../../base/calendar.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** The day `YYYY-MM-DD` of a word or a flag's value. Throws ConfigError for anything else. */
export function dayOf(text: string): string {
  if (startOfDay(text, "UTC") !== undefined) return text;
  throw new ConfigError(`Expected a day of ${acceptedYears}, such as 2026-11-21, got "${text}".`);
}

/** Throws ConfigError for a last day before the first. */
export function checkDays(start: string, end: string): void {
  if (end < start) throw new ConfigError(`The last day, ${end}, is before the first, ${start}: swap them.`);
}

/** Converts `--since` and `--until` to runtime options. Throws ConfigError. */
export function dayFlags(line: CommandLine): { readonly startDate?: string; readonly endDate?: string } {
  const [start, end] = [day(line, "since"), day(line, "until")];
  if (start !== undefined && end !== undefined) checkDays(start, end);
  return { ...(start === undefined ? {} : { startDate: start }), ...(end === undefined ? {} : { endDate: end }) };
}

function day(line: CommandLine, name: TextFlagName): string | undefined {
  const text = line.texts[name];
  return text === undefined ? undefined : dayOf(text);
}
