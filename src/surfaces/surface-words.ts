// Replaces the names of the library's functions and options by those of the command line and the chat.
// Invariant: pure. Errors and events contain the library's names in backticks: `runtime.sources.list()`, `openaiApiKey`. Front
// ends replace these names by what their user can type or set; other texts in backticks are not changed.
import type { Agent } from "../agent/agent.ts";
import { nameCommand } from "../base/started-command.ts";
import { isConfigKey, settings } from "../config/settings.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** A front end with a user. `configure` is the command line while it asks for a model and its key. */
export type Surface = "command-line" | "chat" | "configure";

/** The command that replaces a call in a text. `$1` and `$2` are the call's text arguments, `$key` an object's first key. */
interface CallWords {
  /** The words after `palimpsest`; a slash command if only the chat has the command. */
  readonly commandLine: string;
  /** A slash command. Default: the same as on the command line. */
  readonly chat?: string;
}

/** The reason why neither the command line nor the chat has a command for a call. */
interface NoWords {
  readonly reason: string;
}

type FunctionKey<Target> = {
  [Key in keyof Target & string]: Target[Key] extends (...args: never[]) => unknown ? Key : never;
}[keyof Target & string];

/** The names of the functions of a runtime, as errors write them. */
type RuntimeCall =
  | `runtime.${FunctionKey<Runtime>}`
  | {
      [Group in keyof Runtime]: Runtime[Group] extends string
        ? never
        : `runtime.${Group}.${FunctionKey<Runtime[Group]>}`;
    }[keyof Runtime];

type AgentCall = `agent.${FunctionKey<Agent>}`;

const ofProgram = { reason: "A program calls it with values that no text can express." };
const byQuestions = { reason: "The chat and headless mode show the questions of MCP servers and return the answers." };
const inListing = { reason: "The listing of the same topic shows it." };

/** The verb of a command by the name of its function; null if there is no command. An unlisted name is the verb. */
const verbs: Readonly<Record<string, string | null>> = {
  count: null,
  create: "add",
  delete: "remove",
  find: "show",
  update: "set",
};

/**
 * For each runtime function whose command `namedAfter` does not return: the command that calls the function, or the reason
 * why no command does.
 */
const runtimeWords: Readonly<Partial<Record<RuntimeCall, string | CallWords | NoWords>>> = {
  "runtime.agents.tags": inListing,
  "runtime.agents.update": "agents set $key $2 -a $1",
  "runtime.agents.setSystemPrompt": { reason: "`agents add --system-file` sets it when an agent is created." },
  "runtime.agents.setDetails": "agents set",
  "runtime.agents.setModel": "chat --model",
  "runtime.agents.open": "agents add",
  "runtime.turns.events": { reason: "A server calls it for each reader of a turn." },
  "runtime.agents.openForTurn": { reason: "A server calls it for each request." },
  "runtime.agents.delete": "agents remove $1",
  "runtime.agents.recipients": "agents show",
  "runtime.agents.accept": "agents accept $1",
  "runtime.agents.former": "agents list",
  "runtime.agents.importLetta": "import letta",
  "runtime.archival.count": "archival list",
  "runtime.archival.setTags": "archival tag",
  "runtime.archival.delete": "archival remove $2 -a $1",
  "runtime.backup": "backup",
  "runtime.close": ofProgram,
  "runtime.agentMessages.list": "agents messages",
  "runtime.agentMessages.deliver": {
    reason: "A process delivers the messages of its own agents; `palimpsest serve` delivers all.",
  },
  "runtime.consolidation.run": { commandLine: "consolidate", chat: "/consolidate" },
  "runtime.consolidation.list": { commandLine: "consolidate list", chat: "/consolidate" },
  "runtime.consolidation.find": "consolidate show",
  "runtime.consolidation.apply": { commandLine: "consolidate apply", chat: "/consolidate" },
  "runtime.consolidation.reject": { commandLine: "consolidate reject", chat: "/consolidate" },
  "runtime.consolidation.undo": { commandLine: "consolidate undo", chat: "/consolidate" },
  "runtime.conversations.list": { commandLine: "conversations list -a $1", chat: "/resume" },
  "runtime.conversations.find": inListing,
  "runtime.conversations.messages": "conversations show",
  "runtime.conversations.message": { reason: "`conversations show --json` has every message." },
  "runtime.conversations.file": { reason: "A program reads the bytes of a file; the chat shows it." },
  "runtime.conversations.branches": { commandLine: "conversations branches", chat: "/branch" },
  "runtime.conversations.history": ofProgram,
  "runtime.conversations.export": { commandLine: "conversations export", chat: "/export" },
  "runtime.createMessageBuffer": ofProgram,
  "runtime.embeddings.list": "reembed",
  "runtime.embeddings.reembed": "reembed",
  "runtime.embeddings.rollback": "reembed --rollback",
  "runtime.embeddings.dropOld": "reembed --drop-old",
  "runtime.embeddings.abandon": "reembed --abandon",
  "runtime.files.describe": { reason: "A command with --file describes the file before it sends the file." },
  "runtime.forget.preview": "forget --dry-run",
  "runtime.forget.apply": "forget",
  "runtime.forget.list": "forget --list",
  "runtime.getContext": "context plan",
  "runtime.idle": { reason: "Every command waits for its background work before it ends." },
  "runtime.imports.run": "import chatgpt",
  "runtime.keys.create": "keys create",
  "runtime.keys.list": "keys list --user NAME",
  "runtime.mcp.servers": "mcp list",
  "runtime.mcp.questions": byQuestions,
  "runtime.mcp.watchQuestions": byQuestions,
  "runtime.mcp.answer": byQuestions,
  "runtime.mcp.trust": "/mcp",
  "runtime.mcp.readResource": { reason: "The chat attaches resources to a message." },
  "runtime.mcp.readPrompt": { reason: "The chat sends prompts of MCP servers." },
  "runtime.mcp.signIn": { commandLine: "mcp login $1", chat: "/mcp login $1" },
  "runtime.mcp.signOut": "mcp logout",
  "runtime.mcp.distrust": "/mcp",
  "runtime.memory.at": "memory show",
  "runtime.memory.edit": { reason: "`memory set` replaces the text; parts are edited by tools and programs." },
  "runtime.memory.revisions": { commandLine: "memory history $2 -a $1", chat: "/memory history" },
  "runtime.memoryFiles.list": "memory status",
  "runtime.memoryFiles.history": "memory log",
  "runtime.memoryFiles.write": "memory commit",
  "runtime.memoryFiles.command": ofProgram,
  "runtime.models.list": "models",
  "runtime.models.find": "models",
  "runtime.models.priceOf": { reason: "Prices are a setting, which `config show` shows." },
  "runtime.models.embedders": "models",
  "runtime.modules.ofAgents": { reason: "`memory show` has the modules of one agent." },
  "runtime.modules.holders": "modules show",
  "runtime.modules.recipients": "modules show",
  "runtime.modules.revisions": "modules history",
  "runtime.nodeMemory.open": ofProgram,
  "runtime.nodeMemory.forMode": ofProgram,
  "runtime.nodeMemory.listUnused": "node-memory prune",
  "runtime.optimize": "optimize",
  "runtime.recall.searchDate": "recall dates",
  "runtime.restore": "restore",
  "runtime.listUsers": "users list",
  "runtime.listUsage": "users usage",
  "runtime.schedules.create": "schedule add",
  "runtime.schedules.list": "schedule list",
  "runtime.schedules.update": "schedule set",
  "runtime.schedules.delete": "schedule remove",
  "runtime.schedules.runs": "schedule history",
  "runtime.schedules.lastPolledAt": "schedule add",
  "runtime.schedules.fire": { reason: "`schedule run` sends the messages that are due, until it is stopped." },
  "runtime.schedules.run": "schedule run",
  "runtime.skills.list": { commandLine: "skills list", chat: "/skills" },
  "runtime.skills.write": "skills add",
  "runtime.sources.load": "load",
  "runtime.sources.list": { commandLine: "sources list", chat: "/attach" },
  "runtime.sources.files": "sources show",
  "runtime.sources.removeFile": "sources remove",
  "runtime.sources.update": "sources rename",
  "runtime.sources.add": { reason: "`load` adds the passages of files, and replaces them when a file changes." },
  "runtime.sources.setPassageTags": { reason: "`load` replaces the passages of a changed file." },
  "runtime.sources.deletePassage": { reason: "`sources remove` removes a file with its passages." },
  "runtime.sources.attach": "attach",
  "runtime.sources.detach": "detach",
  "runtime.sources.attachedFiles": { reason: "`sources list` and `sources show` list the files." },
  "runtime.sources.openFile": { reason: "The model opens files in its window." },
  "runtime.sources.closeFiles": { reason: "The model closes files in its window." },
  "runtime.sources.openFiles": "context",
  "runtime.starters.personas": "personas list",
  "runtime.starters.humans": "humans list",
  "runtime.tools.upsert": "tools add",
  "runtime.tools.update": "tools add",
  "runtime.tools.builtIn": "tools list",
  "runtime.tools.ofAgent": "tools list",
  "runtime.tools.ofAgents": { reason: "`tools list -a NAME` lists the tools of one agent." },
  "runtime.tools.setApproval": "tools approval",
  "runtime.turns.findByKey": { reason: "Only a program has an idempotency key." },
  "runtime.turns.annotate": ofProgram,
  "runtime.turns.messages": "conversations show",
  "runtime.turns.steps": "turns show",
  "runtime.turns.stepsOfAgent": { reason: "`turns list` and `turns show` list the model calls by turn." },
  "runtime.turns.findStep": { reason: "`context --step` shows a model call with its window." },
  "runtime.user.usage": "users show",
  "runtime.user.delete": "users remove",
};

const agentWords: Readonly<Partial<Record<AgentCall, CallWords>>> = { "agent.pop": { commandLine: "/pop" } };

/** For each function whose command `namedAfter` does not return: the command, or the reason why there is none. */
export const listedWords: Readonly<Record<string, string | CallWords | NoWords>> = { ...agentWords, ...runtimeWords };

/** Returns the command that replaces a call such as `runtime.modules.update`; undefined if there is none. */
export function wordsOf(call: string): CallWords | undefined {
  const words = Object.hasOwn(listedWords, call) ? listedWords[call] : namedAfter(call);
  if (typeof words === "string") return { commandLine: words };
  return words === undefined || "reason" in words ? undefined : words;
}

/** Returns the command that is named after the group and the function of a call: `mcp-servers add` for `runtime.mcpServers.create`. */
function namedAfter(call: string): string | undefined {
  const [, group = "", name = ""] = /^runtime\.(\w+)\.(\w+)$/u.exec(call) ?? [];
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : name;
  return group === "" || verb === null
    ? undefined
    : `${group} ${verb}`.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/** The texts that replace the names of options that are not settings, or whose flag or variable would be poor advice. */
const optionWords: Readonly<Record<string, string>> = {
  anthropicApiKey: "ANTHROPIC_API_KEY (or run `palimpsest configure`)",
  openaiApiKey: "OPENAI_API_KEY (or run `palimpsest configure`)",
  waitMs: "--wait",
};

const optionWordsOfChat: typeof optionWords = { ...optionWords, model: "model with /model" };

/** Matches the path of a stale lock, which texts replace by `palimpsest doctor --unlock`. */
const lockFile = /server-lock-\d+\.json$/u;

/** Returns the text with the surface's names instead of the library's, and with `command` instead of `palimpsest`. */
export function surfaceText(text: string, surface: Surface, command: string): string {
  const asked = surface === "configure" ? text.replace(keyAdvice, typedKey) : text;
  const named = asked.replace(/`([^`\n]{1,120})`/gu, (quoted, name: string) => wordsFor(name, surface) ?? quoted);
  return nameCommand(named, command);
}

/** Matches the advice to set a key, with the word `to` after it. */
const keyAdvice = /\b(s)et `(?:anthropic|openai)ApiKey`(?: to(?= a ))?/giu;

function typedKey(advice: string, first: string): string {
  return `${first === "S" ? "T" : "t"}ype${advice.endsWith(" to") ? "" : " it"}`;
}

function wordsFor(name: string, surface: Surface): string | undefined {
  const [, call = "", args = ""] = /^((?:runtime|agent)\.[\w.]+)\((.*)\)$/u.exec(name) ?? [];
  const words = wordsOf(call);
  if (words !== undefined) return callText(words, args, surface);
  if (lockFile.test(name)) return "`palimpsest doctor --unlock`";
  const options = surface === "chat" ? optionWordsOfChat : optionWords;
  if (Object.hasOwn(options, name)) return options[name];
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

/** Returns the text as one word of a shell, in quotes if it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
