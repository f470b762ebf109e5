// Generates help from the tables of commands and flags: one screen for `palimpsest`, and one for each command.
import { largest } from "../../../base/lists.ts";
import { nameCommand } from "../../../base/started-command.ts";
import { type Command, settingsOfRuns } from "../command.ts";
import { allCommands, commandsAbout } from "../commands.ts";
import { groups } from "../topics.ts";
import { keysText } from "../parse/contract-options.ts";
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

/** Returns the text of `--help`; `program` is the command that starts Palimpsest. */
export async function generalHelp(program: string): Promise<string> {
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
    ...columns(await topicRows()),
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

/** Returns a row for each group of topics. If a group has several topics, their commands are shown without arguments. */
async function topicRows(): Promise<readonly (readonly [string, string])[]> {
  const commands = await allCommands();
  return groups.map(({ topics, about }) => {
    const usages = topics.map((topic) =>
      topicUsage(
        topic,
        commands.filter(({ words }) => words[0] === topic),
        { isShort: topics.length > 1 },
      ),
    );
    return [usages.join(", "), about];
  });
}

/** Returns help for a topic: the command of that name, if there is one, and the topic's verbs. */
export async function topicHelp(topic: string, program: string): Promise<string> {
  const about = await commandsAbout(topic);
  const simple = simpleCommand(about);
  const verbs = about.filter((command) => command !== simple);
  if (simple !== undefined && verbs.length === 0) return commandHelp(simple, program);
  const group = groups.find(({ topics }) => topics.includes(topic));
  return [
    simple === undefined
      ? `${program} ${topic}: ${group?.about ?? ""}\n`
      : `${await commandHelp(simple, program)}\n\nAlso`,
    ...columns(verbs.map((command) => [usageOf(command, program), `${command.summary}${aliasText(command)}`])),
    "",
    `${program} help ${topic} VERB shows the flags.`,
  ].join("\n");
}

export async function commandHelp(command: Command, program: string): Promise<string> {
  const { details, pairs, takesSettings = false } = command;
  const listed = takesSettings ? command.flags.filter((name) => !settingsOfRuns.includes(name)) : command.flags;
  const keys = pairs === undefined ? [] : [keysText(await pairs())];
  const lines = [...(details === undefined ? [] : [nameCommand(details, program)]), ...keys].join("\n").split("\n");
  return [
    `${usageOf(command, program)} [flags]`,
    "",
    `  ${command.summary}${aliasText(command)}`,
    ...(lines.length === 1 && lines[0] === "" ? [] : ["", ...lines.map((line) => `  ${line}`)]),
    "",
    "Flags",
    ...flagRows([...listed, "quiet", "no-color", "help"], command.bare),
    ...(takesSettings ? ["", `Also the flags of models, new agents, limits and tools: ${program} help chat`] : []),
  ].join("\n");
}

function usageOf(command: Command, program: string): string {
  return `${program} ${command.words.join(" ")} ${command.usage}`.trim();
}

function aliasText({ words, alias }: Command): string {
  return alias === undefined ? "" : ` (also: ${words[0]} ${alias})`;
}

/** Returns a topic with its verbs or arguments. `isShort`: omits them if the topic can be called without a verb. */
function topicUsage(topic: string, about: readonly Command[], { isShort }: { readonly isShort: boolean }): string {
  const verbs = about.flatMap(({ words }) => words[1] ?? []).join("|");
  const simple = simpleCommand(about);
  if (simple === undefined) return `${topic} ${verbs}`;
  if (isShort) return topic;
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

/** Maximum width of a padded first column, in characters. The text beside a wider first column is not aligned. */
const maxFirstColumn = 56;

function columns(rows: readonly (readonly [string, string] | readonly string[])[]): readonly string[] {
  const width = largest(rows.map(([first = ""]) => first.length).filter((length) => length <= maxFirstColumn));
  return rows.map(([first = "", second = ""]) => `  ${first.padEnd(width)}  ${second}`);
}
