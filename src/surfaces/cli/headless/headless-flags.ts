// Reads the flags of a headless run: the formats, and the limits of each turn, which override the agent's settings.
// Invariant: conflicting flags throw a ConfigError.
import { ConfigError } from "../../../base/errors.ts";
import type { CommandCall } from "../command.ts";
import { choiceOf, optionalNumberFlag, positiveFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import type { FlagName } from "../parse/flags.ts";
import type { CommandLine } from "../parse/parse-command-line.ts";

const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

const inputFormats = ["text", "stream-json"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** Returns the format of the output. Throws ConfigError for an unknown format, or for flags that have no effect with it. */
export function outputFormatOf({ line }: CommandCall): OutputFormat {
  const format = oneOf(outputFormats, "output-format", line.texts["output-format"]);
  if (format !== "stream-json" && line.switches.has("include-partial-messages")) {
    throw new ConfigError("--include-partial-messages needs --output-format stream-json.");
  }
  return format;
}

/** Returns the format of the input. Throws ConfigError for an unknown format, or for flags that conflict with it. */
export function inputFormatOf({ line }: CommandCall): InputFormat {
  const format = oneOf(inputFormats, "input-format", line.texts["input-format"]);
  if (format === "text") return format;
  if (line.texts["output-format"] !== "stream-json") {
    throw new ConfigError(
      "--input-format stream-json needs --output-format stream-json, which reports the outcome of each line.",
    );
  }
  const { prompt = "-" } = line.texts;
  if (prompt !== "-") {
    throw new ConfigError("--input-format stream-json reads all messages from standard input: omit -p TEXT.");
  }
  if (line.lists.file !== undefined) {
    throw new ConfigError(
      '--input-format stream-json takes no --file: name files in the line of their message, as "files":[{"path":"…"}].',
    );
  }
  return format;
}

function oneOf<Format extends string>(known: readonly [Format, ...Format[]], flag: string, given?: string): Format {
  return given === undefined ? known[0] : choiceOf(given, `--${flag}`, known, ", ");
}

/** The flags that limit each turn of the run, for new and for existing agents. */
export const turnLimitFlags = [
  "max-steps",
  "max-turn-tokens",
  "max-turn-dollars",
] as const satisfies readonly FlagName[];

export interface TurnLimits {
  readonly maxSteps?: number;
  readonly budget?: { readonly tokens?: number; readonly dollars?: number };
}

/** Returns the limits that flags set. Throws ConfigError for a value that is not a number, or is out of range. */
export function turnLimitsOf(line: CommandLine): TurnLimits {
  const range = { min: 1, max: 999_999_999 };
  const maxSteps = optionalNumberFlag(line, "max-steps", range);
  const tokens = optionalNumberFlag(line, "max-turn-tokens", range);
  const dollars = positiveFlag(line, "max-turn-dollars");
  const budget = given({ tokens, dollars });
  return { ...given({ maxSteps }), ...(Object.keys(budget).length === 0 ? {} : { budget }) };
}
