// `--output-format` and `--input-format`, and the flags that conflict with them.
import { ConfigError } from "../../../base/errors.ts";
import type { CommandCall } from "../command.ts";

const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

const inputFormats = ["text", "stream-json"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** Throws ConfigError for an unknown format, or for flags that have no effect with it. */
export function outputFormatOf({ line }: CommandCall): OutputFormat {
  const format = oneOf(outputFormats, "output-format", line.texts["output-format"]);
  if (format !== "stream-json" && line.switches.has("include-partial-messages")) {
    throw new ConfigError("--include-partial-messages needs --output-format stream-json.");
  }
  return format;
}

/** Throws ConfigError, as `outputFormatOf`. */
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
  const format = given === undefined ? known[0] : known.find((name) => name === given);
  if (format === undefined) throw new ConfigError(`--${flag}: expected ${known.join(", ")}, got "${given}".`);
  return format;
}
