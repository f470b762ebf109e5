// Ages on the command line: how long ago.
import { ConfigError } from "../../../base/errors.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30d`, `12h` or `90m`. Throws ConfigError when the flag is missing or malformed. */
export function ageFlag(line: CommandLine, name: TextFlagName): number {
  const text = line.texts[name];
  if (text === undefined) throw new ConfigError(`Missing --${name} AGE, such as 30d, 12h or 90m.`);
  const [, number, unit] = /^(\d{1,6})([mhd])$/u.exec(text) ?? [];
  if (number !== undefined && unit !== undefined) return Number(number) * unitMs[unit]!;
  throw new ConfigError(
    `--${name}: expected a whole number of days, hours or minutes, such as 30d, 12h or 90m, got "${text}".`,
  );
}
