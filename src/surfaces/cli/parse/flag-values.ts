// Reads and checks the values of flags: numbers, choices, days and settings.
// Invariant: an invalid value throws a ConfigError, which names the flag, what is expected and the value.
import { acceptedYears, startOfDay } from "../../../base/calendar.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { SettingFlags } from "../world.ts";
import { settingFlags, type TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** Returns the given flags that are settings. The configuration validates them. */
export function settingsOf(line: CommandLine): SettingFlags {
  const found: Record<string, string> = {};
  for (const name of settingFlags) {
    const text = line.texts[name];
    if (text !== undefined) found[name] = text;
  }
  return found;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

/** Returns the flag's value; `otherwise` if not given. Throws ConfigError unless it is a whole number in the range. */
export function numberFlag(line: CommandLine, name: TextFlagName, { min, max, otherwise }: NumberRange): number {
  return optionalNumberFlag(line, name, { min, max }) ?? otherwise;
}

/** Returns the flag's value; undefined if not given. Throws the same errors as `numberFlag`. */
export function optionalNumberFlag(
  line: CommandLine,
  name: TextFlagName,
  { min, max }: Pick<NumberRange, "min" | "max">,
): number | undefined {
  const text = line.texts[name];
  return text === undefined ? undefined : wholeNumber(text, `--${name}`, { min, max });
}

/** Returns the whole number in a text. Throws ConfigError with `name`, the flag or argument, if it is not in the range. */
export function wholeNumber(text: string, name: string, { min, max }: Pick<NumberRange, "min" | "max">): number {
  const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(`${name}: expected a whole number from ${min} to ${max}, got "${text}".`);
}

/** Returns the flag's value; undefined if not given. Throws ConfigError unless it is a number above 0. */
export function positiveFlag(line: CommandLine, name: TextFlagName): number | undefined {
  return decimalFlag(line, name, { isValid: (value) => value > 0, expected: "a number above 0, such as 50" });
}

/** Returns the flag's value; undefined if not given. Throws ConfigError unless it is a number from 0 to 1. */
export function shareFlag(line: CommandLine, name: TextFlagName): number | undefined {
  return decimalFlag(line, name, {
    isValid: (value) => value >= 0 && value <= 1,
    expected: "a number from 0 to 1, such as 0.7",
  });
}

function decimalFlag(
  line: CommandLine,
  name: TextFlagName,
  { isValid, expected }: { isValid(value: number): boolean; readonly expected: string },
): number | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (isValid(value)) return value;
  throw new ConfigError(`--${name}: expected ${expected}, got "${text}".`);
}

/** Returns `--page` and `--page-size` as options of the runtime, which counts pages from 0. */
export function pageFlags(line: CommandLine): { readonly page: number; readonly pageSize: number } {
  return {
    page: numberFlag(line, "page", { min: 1, max: 1_000_000, otherwise: 1 }) - 1,
    pageSize: numberFlag(line, "page-size", { min: 1, max: 100, otherwise: 5 }),
  };
}

/** Returns the number of a revision; undefined if not given. 0 is the state before the first revision. */
export function revisionFlag(line: CommandLine, name: TextFlagName, min: 0 | 1): number | undefined {
  return optionalNumberFlag(line, name, { min, max: 999_999_999 });
}

/** Returns the value of `--limit`, from 1 to 1,000; 20 if not given. */
export function limitFlag(line: CommandLine): number {
  return numberFlag(line, "limit", { min: 1, max: 1000, otherwise: 20 });
}

/** Returns the flag's value; undefined if not given. Throws ConfigError unless it is one of the choices. */
export function choiceFlag<Choice extends string>(
  line: CommandLine,
  name: TextFlagName,
  choices: readonly Choice[],
): Choice | undefined {
  const text = line.texts[name];
  return text === undefined ? undefined : choiceOf(text, `--${name}`, choices);
}

/** Returns the choice that the text names. Throws ConfigError with `name`, the flag or key, if it names none. */
export function choiceOf<Choice extends string>(
  text: string,
  name: string,
  choices: readonly Choice[],
  between = " or ",
): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  throw new ConfigError(`${name}: expected ${choices.join(between)}, got "${text}".`);
}

/** Returns the text if it is a day `YYYY-MM-DD`. Throws ConfigError otherwise. */
export function dayOf(text: string): string {
  if (startOfDay(text, "UTC") !== undefined) return text;
  throw new ConfigError(`Expected a day of ${acceptedYears}, such as 2026-11-21, got "${text}".`);
}

/** Throws ConfigError if the last day is before the first one. */
export function checkDays(start: string, end: string): void {
  if (end < start) throw new ConfigError(`The last day, ${end}, is before the first, ${start}: swap them.`);
}
