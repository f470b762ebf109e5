// Every flag of the command line, once: its short form, what it takes and what it does.
// Invariant: a flag means the same in all commands that take it; help and parsing are made from this table, which has the
// flags of settings from theirs.
import { type SettingFlagName, settingKeys, settings } from "../../config/settings.ts";
import type { FlagGroup, SettingFlag } from "../../config/settings/setting.ts";

export interface Flag {
  readonly short?: string;
  /** What stands for its value in help; a flag without one is a switch. */
  readonly value?: string;
  /** It may be given without its value, where a command says what that means. */
  readonly isBareAllowed?: true;
  /** It may be given several times, and every value counts. */
  readonly repeats?: true;
  readonly help: string;
}

/** Those that are no settings. */
const own = {
  prompt: { short: "p", value: "TEXT", help: "send one message, print the reply, leave; - reads it from stdin" },
  "output-format": { value: "FORMAT", help: "text (default), json (one object) or stream-json (a line per event)" },
  "input-format": {
    value: "FORMAT",
    help: "text (default), or stream-json: a message or a control request on each line",
  },
  ephemeral: { help: "keep nothing of it: memory is read, and stays as it was" },
  "include-partial-messages": { help: "with stream-json: also the pieces of text as they come" },
  agent: {
    short: "a",
    value: "NAME",
    help: "which agent (default main; for reembed all); chat and -p make it on first use",
  },
  continue: { short: "c", help: "go on with the last conversation (default in chat)" },
  new: { help: "begin a new conversation (default with -p)" },
  resume: {
    short: "r",
    value: "ID",
    isBareAllowed: true,
    help: "go on with this conversation; the chat lets you choose",
  },
  file: { value: "PATH", repeats: true, help: "attach a file to the message; may be given several times" },
  persona: { value: "NAME|FILE", help: "who the agent is: a starter text or a file" },
  human: { value: "NAME|FILE", help: "what it knows of you at first" },
  memory: { value: "TYPE", help: "class of core memory: chat (default) or scratchpad" },
  "system-file": { value: "FILE", help: "system prompt in place of the default one" },
  step: { value: "N", help: "as it was at the Nth model call of the conversation" },
  tokens: { value: "N", help: "tokens of all that is shown, at most (default 4000)" },
  arguments: { value: "JSON", help: "approve with these arguments in place of the model's" },
  reason: { value: "TEXT", help: "why, for the model to read" },
  config: { value: "FILE", help: "the configuration, JSON or YAML (default config.json or .yaml in the data folder)" },
  json: { help: "print JSON" },
  limit: { value: "N", help: "at most so many, newest first (default 20)" },
  revision: { value: "N", help: "which change: its number in memory history" },
  from: { value: "N", help: "revision to begin at (default: the one before --to); 0 is before the first change" },
  to: { value: "N|MODEL", help: "revision to end at (default: the newest); in reembed: the embedder to go over to" },
  at: { value: "N", help: "as it was at this revision; 0 is before the first change" },
  force: { help: "also take back the later changes that stand on it; asks on a terminal, unless --yes" },
  "all-branches": { help: "also what was taken back by /pop or /retry" },
  page: { value: "N", help: "which page, counting from 1" },
  "page-size": { value: "N", help: "results per page, 1 to 100 (default 5)" },
  tag: { value: "TAG", repeats: true, help: "filed under this tag; may be given several times" },
  "all-tags": { help: "only what has all the tags given, not one of them" },
  kind: { value: "KIND", repeats: true, help: "only memory, fact or document; may be given several times" },
  source: {
    value: "NAME",
    repeats: true,
    help: "the source to load into; in a search, all to look in: may be repeated",
  },
  since: { value: "DAY", help: "only from this day on, YYYY-MM-DD, in the agent's time zone" },
  until: { value: "DAY", help: "only up to this day, included" },
  "min-importance": { value: "X", help: "only what was given at least this importance, 0 to 1" },
  importance: { value: "X", help: "how much it matters, 0 to 1 (default 0.5)" },
  neighbours: { value: "N", help: "also so many messages before and after each result, 0 to 100 (default 0)" },
  explain: { help: "also say why each was found: its ranks, how near it is, the total" },
  title: { value: "TEXT", help: "what to call the conversation" },
  description: { value: "TEXT", help: "what the source is about" },
  prune: { help: "also forget files of earlier loads that are gone" },
  "older-than": { value: "AGE", help: "last written longer ago: 30d, 12h or 90m" },
  "dry-run": { help: "only show what would be deleted" },
  yes: { help: "do it without asking" },
  "from-dim": { value: "N", help: "stop unless the vectors there are have so many dimensions" },
  "to-dim": { value: "N", help: "and those to be made so many" },
  batch: { value: "N", help: "texts per call of the embedder, 1 to 2048 (default 32)" },
  rate: { value: "R", help: "at most so many texts per second (default: no limit)" },
  rollback: { help: "go back to the embedder that is kept" },
  "drop-old": { help: "delete the vectors that are kept" },
  abandon: { help: "give up the embedder that is being built, and delete its vectors" },
  "key-stdin": { help: "read the key of the model's provider from standard input" },
  test: { help: "only call the model, and save nothing" },
  online: { help: "also make a tiny call of the model and of a remote embedder, and list objects in s3" },
  repair: { help: "mend what can be mended: rights of the data folder, missing vectors" },
  unlock: { help: "remove a lock that another host or container has left" },
  quiet: { help: "no notices on stderr, only errors" },
  help: { short: "h", help: "show help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Readonly<Record<string, Flag>>;

/** Those of settings, in the order of the table. */
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

/** Taken by every command that runs a turn without a screen. */
export const headlessFlags = ["output-format", "include-partial-messages"] as const satisfies readonly FlagName[];

/** Taken by a chat without a screen; each makes it one. */
export const promptFlags = [...headlessFlags, "input-format", "ephemeral"] as const satisfies readonly FlagName[];

/** Taken by every command. */
export const commonFlags = ["quiet", "help", "version"] as const satisfies readonly FlagName[];

/** Taken by every command that opens the store. */
export const storeFlags: readonly TextFlagName[] = ["config", ...flagsAbout("store")];

/** Bounds on what an agent may do. The general help leaves them to that of the chat. */
export const limitFlags: readonly TextFlagName[] = flagsAbout("limit");

/** What an agent keeps from when it was made. */
export const lastingFlags: readonly TextFlagName[] = [
  "persona",
  "human",
  "memory",
  "system-file",
  ...flagsAbout("agent"),
  ...limitFlags,
];

/** What is looked up for each message. */
export const lookupFlags: readonly TextFlagName[] = flagsAbout("lookup");

/** Taken by commands that may make an agent. */
export const creationFlags: readonly TextFlagName[] = [...flagsAbout("model"), ...lookupFlags, ...lastingFlags];

/** Flags that are settings, as the configuration knows them, and the flag that names its file. */
export const settingFlags: readonly TextFlagName[] = ["config", ...ofSettings.map(({ name }) => name)];

function flagsAbout(group: FlagGroup): readonly SettingFlagName[] {
  return ofSettings.filter((flag) => flag.group === group).map(({ name }) => name);
}

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(flags, name);
}

/** The definition of a flag, with what is optional in it. */
export function flagOf(name: FlagName): Flag {
  return flags[name];
}
