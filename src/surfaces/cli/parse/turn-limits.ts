// Limits for each turn of a headless run, which override the agent's settings.
import { optionalNumberFlag, positiveFlag } from "./number-flag.ts";
import type { FlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** The flags that apply to the run, also for an existing agent. */
export const turnLimitFlags = [
  "max-steps",
  "max-turn-tokens",
  "max-turn-dollars",
] as const satisfies readonly FlagName[];

export interface TurnLimits {
  readonly maxSteps?: number;
  readonly budget?: { readonly tokens?: number; readonly dollars?: number };
}

/** Throws ConfigError for a value that is not a number, or too small. */
export function turnLimitsOf(line: CommandLine): TurnLimits {
  const range = { min: 1, max: 999_999_999 };
  const maxSteps = optionalNumberFlag(line, "max-steps", range);
  const tokens = optionalNumberFlag(line, "max-turn-tokens", range);
  const dollars = positiveFlag(line, "max-turn-dollars");
  const budget = { ...(tokens === undefined ? {} : { tokens }), ...(dollars === undefined ? {} : { dollars }) };
  return {
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}
