// Finds the command that the words of a command line call.
// Invariant: unknown words throw a ConfigError that suggests the nearest command or lists the choices.
import { nearestName } from "../../../base/nearest-name.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { commandsAbout } from "../commands.ts";
import { groups } from "../topics.ts";
import { commonFlags, type FlagName } from "./flags.ts";
import { type CommandLine, valueMissing } from "./parse-command-line.ts";

export interface FoundCommand {
  readonly command: Command;
  /** The arguments: the words after those that name the command. */
  readonly rest: readonly string[];
}

/** Returns the command that the words call; without words, the chat. A topic can be a command by itself, without a verb. */
export async function findCommand(words: readonly string[]): Promise<FoundCommand> {
  const [topic = "chat", verb] = words;
  const candidates = await commandsAbout(topic);
  if (candidates.length === 0) throw unknownTopic(topic);
  const verbs = candidates.flatMap((command) => command.words[1] ?? []);
  const known = [...verbs, ...candidates.flatMap(({ alias }) => alias ?? [])];
  const command =
    verb === undefined ? undefined : candidates.find(({ words: [, name], alias }) => name === verb || alias === verb);
  if (command !== undefined) return { command, rest: words.slice(2) };
  const simple = simpleCommand(candidates);
  if (simple !== undefined) return { command: simple, rest: words.slice(1) };
  const near = verb === undefined ? undefined : nearestName(verb, known);
  const problem = verb === undefined ? `"${topic}" needs a verb` : `"${topic}" has no verb "${verb}"`;
  throw new ConfigError(
    `${problem}. ${near === undefined ? `Write one of: ${verbs.map((each) => `${topic} ${each}`).join(", ")}.` : `Did you mean "${topic} ${near}"?`}`,
  );
}

/** Returns the command that consists of the topic alone; undefined if there is none. */
export function simpleCommand(candidates: readonly Command[]): Command | undefined {
  return candidates.find(({ words }) => words.length === 1);
}

/** Throws ConfigError if the command does not take these flags or this number of arguments. */
export function checkCall({ command, rest }: FoundCommand, line: CommandLine): void {
  const name = command.words.join(" ");
  const usage = `\`palimpsest ${`${name} ${command.usage}`.trim()}\``;
  const { min, max } = command.takes;
  if (rest.length < min) throw new ConfigError(`${name}: an argument is missing. Usage: ${usage}.`);
  if (rest.length > max) {
    throw new ConfigError(
      `${name}: unexpected argument "${rest[max]}". Usage: ${usage}. Quote a text of several words.`,
    );
  }
  const taken: readonly FlagName[] = [...commonFlags, ...command.flags];
  const extra = [...line.given].find((flag) => !taken.includes(flag));
  if (extra !== undefined)
    throw new ConfigError(`${name} does not take --${extra}. \`palimpsest help ${name}\` lists its flags.`);
  const [bare] = [...line.bare].filter((flag) => !(command.bare ?? []).includes(flag));
  if (bare !== undefined) throw valueMissing(`--${bare}`, bare);
}

function unknownTopic(topic: string): ConfigError {
  const near = nearestName(topic, [...groups.flatMap(({ topics }) => topics), "help"]);
  const hint =
    near === undefined ? `To send it to your agent: \`palimpsest -p "${topic}"\`. ` : `Did you mean "${near}"? `;
  return new ConfigError(`There is no command "${topic}". ${hint}\`palimpsest --help\` lists all commands.`);
}
