// Flags with numeric values.
import { ConfigError } from "../../../base/errors.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

/** The flag's value, or `otherwise` when it is not given. Throws ConfigError unless it is a whole number in the range. */
export function numberFlag(line: CommandLine, name: TextFlagName, { min, max, otherwise }: NumberRange): number {
  return optionalNumberFlag(line, name, { min, max }) ?? otherwise;
}

/** The flag's value, undefined when it is not given. Throws as `numberFlag`. */
export function optionalNumberFlag(
  line: CommandLine,
  name: TextFlagName,
  { min, max }: Pick<NumberRange, "min" | "max">,
): number | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(`--${name}: expected a whole number from ${min} to ${max}, got "${text}".`);
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

/** Converts `--page` and `--page-size` to runtime options, whose pages count from 0. */
export function pageFlags(line: CommandLine): { readonly page: number; readonly pageSize: number } {
  return {
    page: numberFlag(line, "page", { min: 1, max: 1_000_000, otherwise: 1 }) - 1,
    pageSize: numberFlag(line, "page-size", { min: 1, max: 100, otherwise: 5 }),
  };
}

/** `--neighbours`. */
export function neighboursFlag(line: CommandLine): { readonly neighbours?: number } {
  const neighbours = numberFlag(line, "neighbours", { min: 0, max: 100, otherwise: 0 });
  return neighbours === 0 ? {} : { neighbours };
}

/** A flag that is the number of a revision; 0 is the state before the first. */
export function revisionFlag(line: CommandLine, name: TextFlagName, min: 0 | 1): number | undefined {
  return optionalNumberFlag(line, name, { min, max: 999_999_999 });
}

/** `--limit`. */
export function limitFlag(line: CommandLine): number {
  return numberFlag(line, "limit", { min: 1, max: 1000, otherwise: 20 });
}
