// Lists all slash commands by the pages of `/help`, and finds the command in a typed line.
// Invariant: names are unique; a line that begins with a slash is a command or an error, never a message. A single line that
// begins with # is added to memory, unless a number or Markdown follows; a line that begins with a single ! is a shell command.
import { takeCodePoints } from "../../../base/code-points.ts";
import { type CommandHint, formerTopic } from "../input/completion.ts";
import { nearestName } from "../../../base/nearest-name.ts";
import {
  agentsCommand,
  bellCommand,
  configCommand,
  doctorCommand,
  exitCommand,
  helpCommand,
  multilineCommand,
  themeCommand,
} from "./chat.ts";
import { type Command, type CommandOutcome, type CommandTopic, refusalOutcome } from "./command.ts";
import { compactCommand, consolidateCommand, summarizeCommand } from "./compact.ts";
import {
  branchCommand,
  exportCommand,
  forkCommand,
  importCommand,
  newCommand,
  renameCommand,
  resumeCommand,
  saveCommand,
} from "./conversations.ts";
import { forgetCommand, rememberCommand } from "./facts.ts";
import { fileCommand } from "./file.ts";
import { popCommand, retryCommand, undoCommand } from "./going-back.ts";
import { btwCommand, copyCommand, rethinkCommand, rewriteCommand } from "./last-reply.ts";
import { mcpCommand } from "./mcp.ts";
import { memoryCommand, skillsCommand } from "./memory.ts";
import { modelCommand } from "./model.ts";
import { personaCommand, systemSwapCommand } from "./persona.ts";
import { heartbeatCommand, memoryWarningCommand } from "./raised-events.ts";
import { contextCommand, dumpCommand, usageCommand } from "./report.ts";
import { archivalCommand, searchCommand } from "./search.ts";
import { outputCommand, shellCommand } from "./shell.ts";
import { attachCommand, detachCommand } from "./sources.ts";
import { toolsCommand } from "./tools.ts";
import { answerCommand, approveCommand, denyCommand } from "./waiting-calls.ts";

const topics: Readonly<Record<string, readonly Command[]>> = {
  Memory: [
    memoryCommand,
    rememberCommand,
    undoCommand,
    forgetCommand,
    searchCommand,
    archivalCommand,
    fileCommand,
    attachCommand,
    detachCommand,
    contextCommand,
  ],
  Replies: [approveCommand, denyCommand, answerCommand, retryCommand, btwCommand, branchCommand, copyCommand],
  Conversations: [
    newCommand,
    resumeCommand,
    forkCommand,
    renameCommand,
    compactCommand,
    exportCommand,
    importCommand,
    usageCommand,
  ],
  Agent: [agentsCommand, modelCommand, personaCommand, toolsCommand, skillsCommand, mcpCommand, consolidateCommand],
  Chat: [
    helpCommand,
    shellCommand,
    outputCommand,
    configCommand,
    doctorCommand,
    themeCommand,
    bellCommand,
    exitCommand,
  ],
  [formerTopic]: [
    rewriteCommand,
    rethinkCommand,
    popCommand,
    heartbeatCommand,
    memoryWarningCommand,
    summarizeCommand,
    systemSwapCommand,
    saveCommand,
    dumpCommand,
    multilineCommand,
  ],
};

export const commandTopics: readonly CommandTopic[] = Object.entries(topics).map(
  ([title, ofTopic]): CommandTopic => ({ title, commands: ofTopic }),
);

/** All commands with their topics, in the order of suggestions. */
export const commands: readonly (Command & CommandHint)[] = commandTopics.flatMap(({ title, commands: ofTopic }) =>
  ofTopic.map((command) => ({ ...command, topic: title })),
);

/** Maximum length of an unknown command in the error, in code points. */
const maxNameLength = 40;

export interface TypedCommand {
  readonly name: string;
  readonly argument: string;
}

/** Returns the command in a line; null if the line is a message. A line that begins with a space is always a message. */
export function parseCommand(line: string): TypedCommand | null {
  const fact = /^#(?![#!\d])[ \t]{0,20}(\S[^\n]*)$/u.exec(line.trimEnd())?.[1];
  if (fact !== undefined) return { name: "remember", argument: fact };
  const shell = /^!(?!!)[ \t]{0,20}(\S[^\n]*)$/u.exec(line.trimEnd())?.[1];
  if (shell !== undefined) return { name: "shell", argument: shell };
  const match = /^\/(\S*)\s*([\s\S]*)$/.exec(line);
  if (match === null) return null;
  return { name: (match[1] ?? "").toLowerCase() || "help", argument: (match[2] ?? "").trim() };
}

/** Returns the command with this name; undefined if there is none. */
export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** Returns the outcome that refuses an unknown command. */
export function unknownCommand(name: string): CommandOutcome {
  const names = commands.map((command) => command.name);
  const nearest = nearestCommand(name, names);
  const suggestion =
    name === "rewind" ? " Esc Esc rewinds." : nearest === undefined ? "" : ` Did you mean /${nearest}?`;
  const shown = name.length > maxNameLength ? `${takeCodePoints(name, maxNameLength)}…` : name;
  return refusalOutcome(
    `There is no command /${shown}.${suggestion}`,
    "/help lists the commands. To send a message that begins with a slash, put a space before it.",
  );
}

/** By the name of a command: names of the same command in MemGPT and similar programs. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  help: ["?", "commands"],
  exit: ["q", "quit", "bye"],
  new: ["clear", "reset"],
  save: ["savechat"],
  dump: ["dumpraw"],
  attach: ["load", "sources"],
  resume: ["sessions", "conversations", "continue"],
  retry: ["regenerate"],
  rewrite: ["edit"],
  systemswap: ["system", "prompt"],
  context: ["status"],
  usage: ["cost", "tokens"],
  search: ["find", "recall"],
  tools: ["permissions"],
  btw: ["ask"],
  model: ["models"],
};

/** Returns the existing command that matches by an alias, by edit distance or by prefix; undefined without a match. */
export function nearestCommand(typed: string, names: readonly string[]): string | undefined {
  const other = names.find((name) => otherNames[name]?.includes(typed));
  if (other !== undefined) return other;
  // A single letter is not enough to guess the command that was meant.
  if (typed.length < 2) return undefined;
  const near = nearestName(typed, names);
  if (near !== undefined) return near;
  const [shortest] = names.filter((name) => name.startsWith(typed)).toSorted((one, two) => one.length - two.length);
  return shortest;
}
