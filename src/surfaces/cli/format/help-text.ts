// Help texts: one screen for the program, one for each command, generated from the registry and the table of flags.
import { largest } from "../../../base/lists.ts";
import { nameCommand } from "../../../base/started-command.ts";
import type { Command } from "../command.ts";
import { commandsAbout, topics } from "../commands.ts";
import { simpleCommand } from "../parse/find-command.ts";
import { creationFlags, flagOf, limitFlags, lookupFlags, storeFlags, type FlagName } from "../parse/flags.ts";

/** Flags shown only by `help chat`, so that the general help fits on one screen. */
const rareFlags: readonly FlagName[] = [
  ...limitFlags,
  "openai-api",
  "model-inputs",
  "scratchpad-update",
  "assist",
  "effort",
  "temperature",
  ...lookupFlags,
];

/** The text of `--help`; `program` is what starts the program. */
export function generalHelp(program: string): string {
  return [
    "palimpsest: agents that edit their own memory",
    "",
    ...columns([
      [`${program} [flags]`, "chat in the terminal; the first run asks which model to use"],
      [`${program} -p "TEXT" [flags]`, `one message, one reply (also: … | ${program} -p -)`],
      [`${program} COMMAND [VERB] [flags]`, "inspect and manage agents and memory; listings take --json"],
    ]),
    "",
    `Commands (${program} help COMMAND shows details)`,
    ...columns(topicRows()),
    "",
    "Conversation",
    ...flagRows(["agent", "prompt", "output-format", "continue", "new", "resume", "wait"], ["resume"]),
    "",
    "Model and agent (all but the first two apply only when an agent is created)",
    ...flagRows(creationFlags.filter((name) => !rareFlags.some((other) => other === name))),
    `      ${program} help chat   also shows rarely used flags and limits: window, steps, tokens, money, approvals`,
    "",
    "Everywhere",
    ...flagRows([...storeFlags, "quiet", "help", "version"]),
    "",
    "Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 limit, 4 agent busy, 5 approval needed, 130 interrupted",
  ].join("\n");
}

/** A row for each topic. Topics with the same description share a row, without their arguments. */
function topicRows(): readonly (readonly [string, string])[] {
  return [...new Set(Object.values(topics))].map((about) => {
    const same = Object.keys(topics).filter((topic) => topics[topic] === about);
    const isCommand = (topic: string): boolean => commandsAbout(topic)[0]?.words.length === 1;
    return [same.map((topic) => (same.length > 1 && isCommand(topic) ? topic : topicUsage(topic))).join(", "), about];
  });
}

/** Help for a topic: the command of that name, if there is one, and the topic's verbs. */
export function topicHelp(topic: string, program: string): string {
  const about = commandsAbout(topic);
  const simple = simpleCommand(about);
  const verbs = about.filter((command) => command !== simple);
  if (simple !== undefined && verbs.length === 0) return commandHelp(simple, program);
  return [
    simple === undefined ? `${program} ${topic}: ${topics[topic] ?? ""}` : `${commandHelp(simple, program)}\n\nAlso`,
    ...(simple === undefined ? [""] : []),
    ...columns(verbs.map((command) => [usageOf(command, program), `${command.summary}${aliasText(command)}`])),
    "",
    `${program} help ${topic} VERB shows the flags.`,
  ].join("\n");
}

/** Help for one command. */
export function commandHelp(command: Command, program: string): string {
  return [
    `${usageOf(command, program)} [flags]`,
    "",
    `  ${command.summary}${aliasText(command)}`,
    ...(command.details === undefined
      ? []
      : [
          "",
          ...nameCommand(command.details, program)
            .split("\n")
            .map((line) => `  ${line}`),
        ]),
    "",
    "Flags",
    ...flagRows([...command.flags, "quiet", "no-color", "help"], command.bare),
  ].join("\n");
}

function usageOf(command: Command, program: string): string {
  return `${program} ${command.words.join(" ")} ${command.usage}`.trim();
}

function aliasText({ words, alias }: Command): string {
  return alias === undefined ? "" : ` (also: ${words[0]} ${alias})`;
}

function topicUsage(topic: string): string {
  const about = commandsAbout(topic);
  const verbs = about.flatMap(({ words }) => words[1] ?? []).join("|");
  const simple = simpleCommand(about);
  if (simple === undefined) return `${topic} ${verbs}`;
  return `${topic} ${verbs === "" ? simple.usage : `[${verbs}]`}`.trim();
}

function flagRows(names: readonly FlagName[], bare: readonly FlagName[] = []): readonly string[] {
  return columns(
    names.map((name) => {
      const { short, value, help } = flagOf(name);
      const shown = bare.includes(name) ? `[${value}]` : value;
      const long = shown === undefined ? `--${name}` : `--${name} ${shown}`;
      return [short === undefined ? `    ${long}` : `-${short}, ${long}`, help];
    }),
  );
}

/** Maximum width to which first columns are padded; the text beside a wider one is not aligned. */
const maxFirstColumn = 56;

function columns(rows: readonly (readonly [string, string] | readonly string[])[]): readonly string[] {
  const width = largest(rows.map(([first = ""]) => first.length).filter((length) => length <= maxFirstColumn));
  return rows.map(([first = "", second = ""]) => `  ${first.padEnd(width)}  ${second}`);
}
