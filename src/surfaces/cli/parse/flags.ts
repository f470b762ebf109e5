// Declares every flag of the command line: its short form, its value and its help.
// Invariant: a flag means the same in all commands that take it. Help and parsing use this table, to which the flags of
// settings are added from the table of settings.
import { type SettingFlagName, settingKeys, settings } from "../../../config/settings.ts";
import type { FlagGroup, SettingFlag } from "../../../config/settings/setting.ts";

export interface Flag {
  readonly short?: string;
  /** Placeholder of the flag's value in help; a flag without a placeholder is a switch. */
  readonly value?: string;
  /** Whether the value is optional, in commands that list the flag in `bare`. */
  readonly isBareAllowed?: true;
  /** Whether the flag may be repeated; every value counts. */
  readonly repeats?: true;
  readonly help: string;
}

/** Flags that are not settings. */
const own = {
  prompt: { short: "p", value: "TEXT", help: "send one message, print the reply and exit; - reads it from stdin" },
  "output-format": { value: "FORMAT", help: "text (default), json (one object) or stream-json (a line per event)" },
  "input-format": {
    value: "FORMAT",
    help: "text (default), or stream-json: a message or a control request on each line",
  },
  ephemeral: { help: "store nothing; memory is only read" },
  "include-partial-messages": { help: "with stream-json: also pieces of text as they arrive" },
  agent: {
    short: "a",
    value: "NAME",
    help: "name of the agent (default main; reembed: all); chat and -p create it",
  },
  continue: { short: "c", help: "continue the last conversation (default in chat)" },
  new: { help: "start a new conversation (default with -p)" },
  resume: {
    short: "r",
    value: "ID",
    isBareAllowed: true,
    help: "resume this conversation; without ID, the chat lets you choose",
  },
  file: { value: "PATH", repeats: true, help: "attach a file to the message; may be repeated" },
  persona: { value: "NAME|FILE", help: "description of the agent: a starter text or a file" },
  human: { value: "NAME|FILE", help: "the agent's first facts about you: a starter text or a file" },
  memory: { value: "TYPE", help: "class of core memory: chat (default) or scratchpad" },
  "system-file": { value: "FILE", help: "system prompt instead of the default one" },
  step: { value: "N", help: "the window at the Nth model call of the conversation" },
  tokens: { value: "N", help: "maximum tokens of the result (default 4000)" },
  arguments: { value: "JSON", help: "approve with these arguments instead of the model's" },
  reason: { value: "TEXT", help: "the reason, sent to the model" },
  scope: { value: "SCOPE", help: "what the key allows: read, chat (default) or admin" },
  access: { value: "ACCESS", help: "what the other user may do: read (default), append or write" },
  trust: { value: "CLASS", help: "trust of what the program writes: external (default), model or user" },
  write: { help: "write the file instead of showing what to add" },
  env: { value: "NAME=VALUE", repeats: true, help: "a variable for the program; may be repeated" },
  header: { value: "NAME: VALUE", repeats: true, help: "a header for the server; may be repeated" },
  "env-file": { value: "FILE", help: "variables of the environment, as JSON in a file that only you can read" },
  allow: { value: "TOOL", repeats: true, help: "use only this tool; may be repeated" },
  deny: { value: "TOOL", repeats: true, help: "do not use this tool; may be repeated" },
  "working-folder": { value: "FOLDER", help: "the folder that the program is started in" },
  "call-timeout": { value: "N", help: "seconds to wait for a call, 1 to 3600 (default 60)" },
  name: { value: "TEXT", help: "a name for the key, to recognize it; agents import: for the agent" },
  suffix: { value: "TEXT", help: "add this to the name of each agent, such as _copy" },
  "without-messages": { help: "import no conversations" },
  "existing-tools": { value: "POLICY", help: "if a stored tool has the same name: keep (default) or replace it" },
  "keep-trust": { help: "the file is my own: keep the trust of its texts, and its approvals" },
  database: { value: "URL", help: "the PostgreSQL database to import from" },
  config: { value: "FILE", help: "the configuration, JSON or YAML (default config.json or .yaml in the data folder)" },
  json: { help: "print JSON" },
  limit: { value: "N", help: "maximum number of results, newest first (default 20); eval: of questions" },
  format: { value: "FORMAT", help: "palimpsest (default), locomo, longmemeval, dmr, letta or consolidation" },
  judge: { value: "MODEL", help: "the model that compares answers with the right ones" },
  runs: { value: "N", help: "how often each question is answered (default 1)" },
  out: { value: "FOLDER", help: "write report.json, chart.svg and the results, and continue from them" },
  "min-recall": { value: "X", help: "exit with 1 if recall@10 is lower" },
  "max-junk": { value: "X", help: "exit with 1 if the junk rate is higher" },
  "max-missed": { value: "X", help: "exit with 1 if a larger share of the questions is missed" },
  "min-score": { value: "X", help: "exit with 1 if a smaller share of the replies is right" },
  revision: { value: "N", help: "the revision, as numbered by memory history" },
  from: { value: "N", help: "first revision (default: the one before --to); 0 is before the first edit" },
  to: { value: "N|MODEL", help: "last revision (default: the newest); reembed: the embedder to switch to" },
  at: { value: "N", help: "the text at this revision; 0 is before the first edit" },
  message: { value: "ID", repeats: true, help: "this message as a whole; may be repeated" },
  passage: { value: "ID", repeats: true, help: "this passage as a whole; may be repeated" },
  list: { help: "only list what was forgotten, and when" },
  force: { help: "also undo later edits that depend on it; asks in a terminal, unless --yes" },
  external: { help: "the text comes from somebody else" },
  replace: { help: "replace a stored skill that has the same name and another text" },
  deletes: { help: "also remove files from memory that are no longer in the folder" },
  "all-branches": { help: "also messages removed by /pop or /retry" },
  after: { value: "ID", help: "only passages after this one in the list, which are older" },
  page: { value: "N", help: "number of the page, from 1" },
  "page-size": { value: "N", help: "results per page, 1 to 100 (default 5)" },
  tag: { value: "TAG", repeats: true, help: "with this tag; may be repeated" },
  "all-tags": { help: "only passages with all given tags, not any of them" },
  cron: { value: "EXPRESSION", help: 'when to send it, five fields such as "0 9 * * 1-5"' },
  once: { value: "TIME", help: "send it once, at a time such as 2026-12-24T18:00Z" },
  "on-busy": { value: "POLICY", help: "if the conversation is busy: wait (default) or skip" },
  "on-missed": { value: "POLICY", help: "if no process ran at that time: run (once, default) or skip" },
  "quiet-hours": { value: "FROM-TO", help: "send nothing in these hours, such as 22:00-07:00" },
  "on-quiet": { value: "POLICY", help: "if it is due in the quiet hours: delay to their end (default) or skip" },
  kind: { value: "KIND", repeats: true, help: "only memory, fact or document; may be repeated" },
  source: {
    value: "NAME",
    repeats: true,
    help: "the source to load into; in a search, a source to search; may be repeated",
  },
  since: { value: "DAY", help: "only from this day on, YYYY-MM-DD, in the agent's time zone" },
  days: { value: "N", help: "the last N days in UTC, including today (default 30)" },
  until: { value: "DAY", help: "only up to and including this day" },
  "min-importance": { value: "X", help: "only passages of at least this importance, 0 to 1" },
  importance: { value: "X", help: "importance of the passage, 0 to 1 (default 0.5)" },
  neighbours: { value: "N", help: "also N messages before and after each result, 0 to 100 (default 0)" },
  explain: { help: "also show why each result was found: ranks, similarity, total" },
  title: { value: "TEXT", help: "title of the conversation" },
  description: { value: "TEXT", help: "description of the source or the module" },
  prune: { help: "also remove files of earlier loads that no longer exist" },
  "older-than": { value: "AGE", help: "minimum time since the last write: 30d, 12h or 90m" },
  "dry-run": { help: "only show what would be deleted or imported" },
  exact: { help: "keep the turn that asked for it, and lines of which only a name would be left" },
  yes: { help: "confirm without asking" },
  "from-dim": { value: "N", help: "refuse unless the current vectors have N dimensions" },
  "to-dim": { value: "N", help: "refuse unless the new vectors have N dimensions" },
  batch: { value: "N", help: "texts per call of the embedder, 1 to 2048 (default 128)" },
  rate: { value: "R", help: "maximum texts per second (default: no limit)" },
  rollback: { help: "switch back to the kept embedder" },
  "drop-old": { help: "delete the kept vectors" },
  abandon: { help: "abandon the unfinished embedder and delete its vectors" },
  host: { value: "ADDRESS", help: "the address to listen on (default 127.0.0.1)" },
  port: { value: "N", help: "the port to listen on (default 8283; 0: any free one)" },
  cors: { value: "ORIGIN", repeats: true, help: "pages of this origin may use the server; may be repeated" },
  "metrics-port": { value: "N", help: "serve counters for Prometheus at /metrics on this port, without a key" },
  "requests-per-minute": { value: "N", help: "maximum requests of a user in a minute (default 600)" },
  "key-stdin": { help: "read the key of the model's provider from standard input" },
  test: { help: "only call the model; save nothing" },
  online: { help: "also call the model and a remote embedder once, and list objects in S3" },
  repair: { help: "fix the rights of the data folder and missing vectors" },
  unlock: { help: "remove the stale lock of another host or container" },
  quiet: { help: "no notices on stderr, only errors" },
  "no-color": { help: "no colours, as with NO_COLOR set" },
  help: { short: "h", help: "show help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Readonly<Record<string, Flag>>;

/** Flags of settings, in the order of the table of settings. */
const ofSettings: readonly SettingFlag<SettingFlagName>[] = settingKeys.flatMap((key) => {
  const { flag } = settings[key];
  if (flag === undefined) return [];
  return [{ ...flag, help: flag.help.replace("{default}", () => defaultText(settings[key].default)) }];
});

function defaultText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const flags = {
  ...own,
  ...(Object.fromEntries(ofSettings.map((flag) => [flag.name, flag])) as Record<SettingFlagName, SettingFlag>),
};

export type FlagName = keyof typeof flags;
export type TextFlagName = {
  [Name in FlagName]: (typeof flags)[Name] extends { readonly value: string } ? Name : never;
}[FlagName];
export type ListFlagName = {
  [Name in FlagName]: (typeof flags)[Name] extends { readonly repeats: true } ? Name : never;
}[FlagName];
export type SwitchName = Exclude<FlagName, TextFlagName>;

/** Flags of every command that runs a turn without a screen. */
export const headlessFlags = ["output-format", "include-partial-messages"] as const satisfies readonly FlagName[];

/** Flags that turn the chat into a headless run. */
export const promptFlags = [...headlessFlags, "input-format", "ephemeral"] as const satisfies readonly FlagName[];

/** Flags of every command. */
export const commonFlags = ["quiet", "no-color", "help", "version"] as const satisfies readonly FlagName[];

/** Flags of every command that opens the store. */
export const storeFlags: readonly TextFlagName[] = ["config", ...flagsAbout("store")];

/** Flags for the limits of an agent. Only `help chat` shows them. */
export const limitFlags: readonly TextFlagName[] = flagsAbout("limit");

/** Flags for settings that are stored with an agent at its creation. */
export const storedFlags: readonly TextFlagName[] = [
  "persona",
  "human",
  "memory",
  "system-file",
  ...flagsAbout("agent"),
  ...limitFlags,
];

/** Flags about tools. Every command that runs turns has them. */
export const toolFlags: readonly TextFlagName[] = flagsAbout("tools");

export const lookupFlags: readonly TextFlagName[] = flagsAbout("lookup");

/** Flags of commands that may create an agent. */
export const creationFlags: readonly TextFlagName[] = [...flagsAbout("model"), ...lookupFlags, ...storedFlags];

/** The flags of all settings, and the flags that name files with settings. */
export const settingFlags: readonly TextFlagName[] = ["config", "env-file", ...ofSettings.map(({ name }) => name)];

function flagsAbout(group: FlagGroup): readonly SettingFlagName[] {
  return ofSettings.filter((flag) => flag.group === group).map(({ name }) => name);
}

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(flags, name);
}

/** Returns the definition of a flag. */
export function flagOf(name: FlagName): Flag {
  return flags[name];
}
