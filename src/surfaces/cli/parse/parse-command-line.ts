// Parses argv into words and flags, without interpreting them.
// Invariant: an unknown flag, a missing value or a superfluous value throws a ConfigError that says what to write.
import { parseArgs } from "node:util";
import { nearestName } from "../../../base/nearest-name.ts";
import { ConfigError } from "../../../base/errors.ts";
import {
  flagOf,
  flags,
  isFlagName,
  type FlagName,
  type ListFlagName,
  type SwitchName,
  type TextFlagName,
} from "./flags.ts";

/** A command line. If a flag is given twice, the last one wins, unless the flag may be repeated. */
export interface CommandLine {
  /** The words that are not flags, in order: the command and its arguments. */
  readonly words: readonly string[];
  readonly texts: Readonly<Partial<Record<TextFlagName, string>>>;
  /** All values of flags that may be repeated, in order. */
  readonly lists: Readonly<Partial<Record<ListFlagName, readonly string[]>>>;
  /** Flags that take an optional value and were given without one, such as `--resume`. */
  readonly bare: ReadonlySet<TextFlagName>;
  readonly switches: ReadonlySet<SwitchName>;
  readonly given: ReadonlySet<FlagName>;
}

export function parseCommandLine(argv: readonly string[]): CommandLine {
  // The words after "--" belong to another program, such as an MCP server, so `bareMark` is not inserted between them.
  const flagsEnd = argv.includes("--") ? argv.indexOf("--") : argv.length;
  // `strict` is off, because the error messages of parseArgs suggest neither the nearest flag nor a correction.
  const { tokens } = parseArgs({
    args: argv.flatMap((word, index) =>
      index < flagsEnd && isBare(word, argv[index + 1]) ? [word, bareMark] : [word],
    ),
    options: parseOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const bare = new Set<TextFlagName>();
  const texts: Partial<Record<TextFlagName, string>> = {};
  const lists: Partial<Record<ListFlagName, readonly string[]>> = {};
  const switches = new Set<SwitchName>();
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (!isFlagName(name)) throw unknownFlag(name, rawName);
    if (isTextFlag(name) && value === bareMark) bare.add(name);
    else if (isTextFlag(name)) {
      const text = checkValue(name, { rawName, value, inline: token.inlineValue });
      texts[name] = text;
      if (isListFlag(name)) lists[name] = [...(lists[name] ?? []), text];
    } else if (value === undefined) switches.add(name);
    else throw new ConfigError(`${rawName} takes no value: write only ${rawName}.`);
  }
  return {
    words,
    texts,
    lists,
    bare,
    switches,
    given: new Set<FlagName>([...switches, ...bare, ...Object.keys(texts).filter(isFlagName)]),
  };
}

const parseOptions = Object.fromEntries(
  Object.keys(flags)
    .filter(isFlagName)
    .map((name) => {
      const { short, value } = flagOf(name);
      return [
        name,
        { type: value === undefined ? "boolean" : "string", ...(short === undefined ? {} : { short }) } as const,
      ];
    }),
);

/** Marks an omitted optional value; a command line cannot contain this character. */
const bareMark = "\u0000";

/** Whether a word is a flag without its optional value. Without `bareMark`, parseArgs would take the next flag as value. */
function isBare(word: string, next: string | undefined): boolean {
  const named = Object.keys(flags)
    .filter(isFlagName)
    .find((name) => word === `--${name}` || word === `-${flagOf(name).short}`);
  return named !== undefined && flagOf(named).isBareAllowed === true && (next === undefined || next.startsWith("-"));
}

function isTextFlag(name: FlagName): name is TextFlagName {
  return flagOf(name).value !== undefined;
}

function isListFlag(name: TextFlagName): name is ListFlagName {
  return flagOf(name).repeats === true;
}

interface GivenValue {
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the flag was written as `--flag=value`. */
  readonly inline: boolean | undefined;
}

function checkValue(name: TextFlagName, { rawName, value, inline }: GivenValue): string {
  const { value: placeholder } = flags[name];
  if (value === undefined) throw valueMissing(rawName, name);
  if (inline !== true && value.length > 1 && value.startsWith("-")) {
    throw new ConfigError(
      `${rawName} needs a value, and "${value}" looks like a flag. If it is the value, write --${name}="${value}".`,
    );
  }
  if (value === "" && name !== "prompt")
    throw new ConfigError(`${rawName} needs a non-empty value: ${rawName} ${placeholder}.`);
  return value;
}

export function valueMissing(rawName: string, name: TextFlagName): ConfigError {
  return new ConfigError(`${rawName} needs a value: ${rawName} ${flags[name].value} (${flags[name].help}).`);
}

function unknownFlag(name: string, rawName: string): ConfigError {
  const near = nearestName(name, Object.keys(flags));
  const hint = near === undefined ? "`palimpsest --help` lists all flags." : `Did you mean --${near}?`;
  return new ConfigError(`Unknown flag ${rawName}. ${hint}`);
}
