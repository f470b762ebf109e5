// Flags whose value is one of a few words.
import { ConfigError } from "../../../base/errors.ts";
import type { TextFlagName } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** The flag's value, undefined when it is not given. Throws ConfigError unless it is one of the choices. */
export function choiceFlag<Choice extends string>(
  line: CommandLine,
  name: TextFlagName,
  choices: readonly Choice[],
): Choice | undefined {
  const text = line.texts[name];
  if (text === undefined) return undefined;
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  throw new ConfigError(`--${name}: expected ${choices.join(" or ")}, got "${text}".`);
}
