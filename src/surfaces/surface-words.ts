// The names of the library's functions and options on the other surfaces: the command line and the chat.
// Invariant: pure. Errors and events name functions and options as the library does, in backticks: `runtime.sources.list()`,
// `openaiApiKey`. Front ends replace these names by what their user can type or set; other texts in backticks stay.
import type { Agent } from "../agent/agent.ts";
import { nameCommand } from "../base/started-command.ts";
import { isConfigKey, settings } from "../config/settings.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** A front end with a user. `configure`: the questions of the command line about a model, which ask for a key. */
export type Surface = "command-line" | "chat" | "configure";

/** What to type instead of a call. `$1` and `$2` are the texts among its arguments, `$key` the first key of an object. */
interface CallWords {
  /** After the program's name; a slash command if only the chat has it. */
  readonly commandLine: string;
  /** A slash command; default: as on the command line. */
  readonly chat?: string;
}

type FunctionKey<Target> = {
  [Key in keyof Target & string]: Target[Key] extends (...args: never[]) => unknown ? Key : never;
}[keyof Target & string];

/** The names of the functions of a runtime and of an agent, as errors write them. */
type CallName =
  | `runtime.${FunctionKey<Runtime>}`
  | { [Group in keyof Runtime]: `runtime.${Group}.${FunctionKey<Runtime[Group]>}` }[keyof Runtime]
  | `agent.${FunctionKey<Agent>}`;

export const callWords: Readonly<Partial<Record<CallName, CallWords>>> = {
  "runtime.agents.open": { commandLine: "agents add" },
  "runtime.agents.list": { commandLine: "agents list" },
  "runtime.agents.offers": { commandLine: "agents offers" },
  "runtime.agents.accept": { commandLine: "agents accept $1" },
  "runtime.agents.delete": { commandLine: "agents remove $1" },
  "runtime.agents.update": { commandLine: "agents set $key $2 -a $1" },
  "runtime.archival.add": { commandLine: "archival add" },
  "runtime.backup": { commandLine: "backup" },
  "runtime.conversations.branches": { commandLine: "conversations branches", chat: "/branch" },
  "runtime.conversations.export": { commandLine: "conversations export", chat: "/export" },
  "runtime.conversations.list": { commandLine: "conversations list -a $1", chat: "/resume" },
  "runtime.embeddings.abandon": { commandLine: "reembed --abandon" },
  "runtime.embeddings.dropOld": { commandLine: "reembed --drop-old" },
  "runtime.embeddings.list": { commandLine: "reembed" },
  "runtime.embeddings.rollback": { commandLine: "reembed --rollback" },
  "runtime.keys.list": { commandLine: "keys list" },
  "runtime.mcp.signIn": { commandLine: "mcp login $1", chat: "/mcp login $1" },
  "runtime.memory.revisions": { commandLine: "memory history $2 -a $1", chat: "/memory history" },
  "runtime.memory.set": { commandLine: "memory set" },
  "runtime.modules.list": { commandLine: "modules list" },
  "runtime.modules.offers": { commandLine: "modules offers" },
  "runtime.retention.list": { commandLine: "retention list" },
  "runtime.schedules.list": { commandLine: "schedule list" },
  "runtime.sources.list": { commandLine: "sources list", chat: "/attach" },
  "runtime.synopsis.show": { commandLine: "synopsis show" },
  "runtime.agents.former": { commandLine: "agents list" },
  "agent.pop": { commandLine: "/pop" },
};

/** Options whose flag or variable is not the best advice, or that are no settings. */
const optionWords: Readonly<Record<string, string>> = {
  anthropicApiKey: "ANTHROPIC_API_KEY (or run `palimpsest configure`)",
  openaiApiKey: "OPENAI_API_KEY (or run `palimpsest configure`)",
  waitMs: "--wait",
};

/** The file of a stale lock, which the doctor removes after a check. */
const lockFile = /server-lock-\d+\.json$/u;

/** Returns the text with each name of the library as the surface calls it, and the program as it was started. */
export function surfaceText(text: string, surface: Surface, command: string): string {
  const asked = surface === "configure" ? text.replace(keyAdvice, typedKey) : text;
  const named = asked.replace(/`([^`\n]{1,120})`/gu, (quoted, name: string) => wordsFor(name, surface) ?? quoted);
  return nameCommand(named, command);
}

/** The advice to set a key, with what follows it. */
const keyAdvice = /\b(s)et `(?:anthropic|openai)ApiKey`(?: to(?= a ))?/giu;

function typedKey(advice: string, first: string): string {
  return `${first === "S" ? "T" : "t"}ype${advice.endsWith(" to") ? "" : " it"}`;
}

function wordsFor(name: string, surface: Surface): string | undefined {
  const [, call = "", args = ""] = /^((?:runtime|agent)\.[\w.]+)\((.*)\)$/u.exec(name) ?? [];
  const words = Object.hasOwn(callWords, call) ? callWords[call as CallName] : undefined;
  if (words !== undefined) return callText(words, args, surface);
  if (lockFile.test(name)) return "`palimpsest doctor --unlock`";
  if (Object.hasOwn(optionWords, name)) return optionWords[name];
  if (!isConfigKey(name)) return undefined;
  const { flag, environment = [] } = settings[name];
  return flag === undefined ? environment[0] : `--${flag.name}`;
}

function callText({ commandLine, chat = commandLine }: CallWords, args: string, surface: Surface): string {
  const texts = [...args.matchAll(/"([^"]*)"/gu)].map(([, text = ""]) => text);
  const [, key = ""] = /\{ ?(\w+):/u.exec(args) ?? [];
  const typed = (surface === "chat" ? chat : commandLine)
    .replace("$key", key)
    .replace(/ (?:-\w )?\$([12])/gu, (part, number: string) => {
      const text = texts[Number(number) - 1];
      return text === undefined ? "" : part.replace(`$${number}`, shellWord(text));
    });
  return typed.startsWith("/") ? typed : `\`palimpsest ${typed}\``;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
