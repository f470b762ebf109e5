// Command lines that a command must refuse, made from a valid one and from the command's entry in its table.
import { findCommand } from "../../src/surfaces/cli/parse/find-command.ts";
import { parseCommandLine } from "../../src/surfaces/cli/parse/parse-command-line.ts";
import type { Command } from "../../src/surfaces/cli/command.ts";

/** A command line, and a part of the refusal. */
type WrongLine = readonly [argv: readonly string[], expected: string];

export async function wrongLines(argv: readonly string[]): Promise<readonly WrongLine[]> {
  const { command, rest } = await findCommand(parseCommandLine(argv).words);
  const { words, takes, flags } = command;
  const name = words.join(" ");
  const tooMany = Array.from({ length: Math.min(takes.max, 10) + 1 }, () => "x");
  const other = flags.includes("scope") ? ["--cron", "x"] : ["--scope", "read"];
  return [
    [[...argv, "--nonsense"], "--nonsense"],
    [[...argv, ...other], `${name} does not take ${other[0] ?? ""}`],
    ...(takes.min > 0 ? [[words, `${name}: an argument is missing`] as const] : []),
    ...(takes.max < 10 ? [[[...words, ...tooMany], `${name}: unexpected argument "x"`] as const] : []),
    ...(flags.includes("limit") ? [[[...argv, "--limit", "many"], "--limit: expected"] as const] : []),
    ...(argv.includes("--yes") ? [[argv.filter((word) => word !== "--yes"), "--yes"] as const] : []),
    ...(await wrongPairs(command, rest)),
  ];
}

/** Pairs of KEY and VALUE with an unknown key, a key without a value or twice, and a value of another type. */
async function wrongPairs({ words, takes, pairs }: Command, rest: readonly string[]): Promise<readonly WrongLine[]> {
  if (pairs === undefined) return [];
  const before = [...words, ...rest.slice(0, takes.min - 2)];
  const { fields } = await pairs();
  const expected = `Expected one of ${Object.keys(fields).join(", ")} as KEY, got "nonsense"`;
  return [
    [[...before, "nonsense", "x"], expected],
    ...Object.entries(fields).flatMap(([key, { kind }]): readonly WrongLine[] => {
      const isText = kind === "text" || kind === "id";
      const wrong = isText
        ? []
        : [[[...before, key, kind === "texts" ? "[1" : "nonsense"], `${key}: expected`] as const];
      return [
        [[...before, key, "x", key, "x"], `Expected each setting once, got ${key} twice`],
        [[...before, key, "x", key], `${key} has no value`],
        ...wrong,
      ];
    }),
  ];
}
