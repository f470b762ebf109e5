// Flags that commands take as numbers.
import { ConfigError } from "../../errors.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly otherwise: number;
}

/** The flag's value, `otherwise` when it is not given. Throws ConfigError when it is no whole number in the range. */
export function numberFlag(line: CommandLine, name: TextFlagName, { least, most, otherwise }: NumberRange): number {
  return optionalNumberFlag(line, name, { least, most }) ?? otherwise;
}

/** The flag's value, undefined when it is not given. Throws as `numberFlag`. */
export function optionalNumberFlag(
  line: CommandLine,
  name: TextFlagName,
  { least, most }: Pick<NumberRange, "least" | "most">,
): number | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new ConfigError(`--${name}: expected a whole number from ${least} to ${most}, got "${text}".`);
}

/** The flag's value above 0, undefined when it is not given. Throws ConfigError. */
export function positiveFlag(line: CommandLine, name: TextFlagName): number | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (value > 0) return value;
  throw new ConfigError(`--${name}: expected a number above 0, such as 50, got "${text}".`);
}

/** The flag's value from 0 to 1, undefined when it is not given. Throws ConfigError. */
export function shareFlag(line: CommandLine, name: TextFlagName): number | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  throw new ConfigError(`--${name}: expected a number from 0 to 1, such as 0.7, got "${text}".`);
}

/** `--page` and `--page-size` as a Runtime counts them, from 0. */
export function pageFlags(line: CommandLine): { readonly page: number; readonly pageSize: number } {
  return {
    page: numberFlag(line, "page", { least: 1, most: 1_000_000, otherwise: 1 }) - 1,
    pageSize: numberFlag(line, "page-size", { least: 1, most: 100, otherwise: 5 }),
  };
}

/** `--neighbours`. */
export function neighboursFlag(line: CommandLine): { readonly neighbours?: number } {
  const neighbours = numberFlag(line, "neighbours", { least: 0, most: 100, otherwise: 0 });
  return neighbours === 0 ? {} : { neighbours };
}

/** A flag that is the number of a revision; 0 is the state before the first. */
export function revisionFlag(line: CommandLine, name: TextFlagName, least: 0 | 1): number | undefined {
  return optionalNumberFlag(line, name, { least, most: 999_999_999 });
}

/** `--limit`. */
export function limitFlag(line: CommandLine): number {
  return numberFlag(line, "limit", { least: 1, most: 1000, otherwise: 20 });
}
