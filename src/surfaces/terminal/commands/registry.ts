// All slash commands, by the pages of `/help`, and how a typed line finds one.
// Invariant: names are unique; a line that begins with a slash is a command or an error, never a message. A single line that
// begins with # is kept in memory, unless a number or Markdown follows; one that begins with a single ! is a shell command.
import { takeCodePoints } from "../../../base/code-points.ts";
import { answerCommand } from "./answer.ts";
import { approveCommand } from "./approve.ts";
import { archivalCommand } from "./archival.ts";
import { attachCommand } from "./attach.ts";
import { bellCommand } from "./bell.ts";
import { branchCommand } from "./branch.ts";
import { btwCommand } from "./btw.ts";
import { type Command, type CommandOutcome, type CommandTopic, refusalOutcome } from "./command.ts";
import { compactCommand, summarizeCommand } from "./compact.ts";
import { contextCommand } from "./context.ts";
import { copyCommand } from "./copy.ts";
import { denyCommand } from "./deny.ts";
import { detachCommand } from "./detach.ts";
import { dumpCommand } from "./dump.ts";
import { exitCommand } from "./exit.ts";
import { exportCommand } from "./export.ts";
import { fileCommand } from "./file.ts";
import { forgetCommand } from "./forget.ts";
import { forkCommand } from "./fork.ts";
import { heartbeatCommand } from "./heartbeat.ts";
import { helpCommand } from "./help.ts";
import { importCommand } from "./import.ts";
import { mcpCommand } from "./mcp.ts";
import { memoryCommand } from "./memory.ts";
import { memoryWarningCommand } from "./memory-warning.ts";
import { modelCommand } from "./model.ts";
import { multilineCommand } from "./multiline.ts";
import { nearestCommand } from "./nearest-command.ts";
import { newCommand } from "./new.ts";
import { outputCommand } from "./output.ts";
import { personaCommand } from "./persona.ts";
import { popCommand } from "./pop.ts";
import { rememberCommand } from "./remember.ts";
import { renameCommand } from "./rename.ts";
import { resumeCommand } from "./resume.ts";
import { rethinkCommand } from "./rethink.ts";
import { retryCommand } from "./retry.ts";
import { rewriteCommand } from "./rewrite.ts";
import { saveCommand } from "./save.ts";
import { searchCommand } from "./search.ts";
import { shellCommand } from "./shell.ts";
import { systemSwapCommand } from "./system-swap.ts";
import { themeCommand } from "./theme.ts";
import { toolsCommand } from "./tools.ts";
import { undoCommand } from "./undo.ts";
import { usageCommand } from "./usage.ts";

export const commandTopics: readonly CommandTopic[] = [
  {
    title: "Memory",
    commands: [
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
  },
  {
    title: "Replies",
    commands: [
      approveCommand,
      denyCommand,
      answerCommand,
      retryCommand,
      rewriteCommand,
      rethinkCommand,
      btwCommand,
      branchCommand,
      popCommand,
      heartbeatCommand,
      memoryWarningCommand,
      copyCommand,
    ],
  },
  {
    title: "Conversations",
    commands: [
      newCommand,
      resumeCommand,
      forkCommand,
      renameCommand,
      compactCommand,
      summarizeCommand,
      exportCommand,
      importCommand,
      saveCommand,
      usageCommand,
      dumpCommand,
    ],
  },
  { title: "Agent", commands: [modelCommand, personaCommand, systemSwapCommand, toolsCommand, mcpCommand] },
  {
    title: "Chat",
    commands: [helpCommand, shellCommand, outputCommand, multilineCommand, themeCommand, bellCommand, exitCommand],
  },
];

/** All commands, in the order of suggestions. */
export const commands: readonly Command[] = commandTopics.flatMap(({ commands: ofTopic }) => ofTopic);

/** Maximum length of an unknown command in the error, in code points. */
const maxNameLength = 40;

export interface TypedCommand {
  readonly name: string;
  readonly argument: string;
}

/** The command in a line; null when the line is a message. A line that begins with a space is always one. */
export function parseCommand(line: string): TypedCommand | null {
  const fact = /^#(?![#!\d])[ \t]{0,20}(\S[^\n]*)$/u.exec(line.trimEnd())?.[1];
  if (fact !== undefined) return { name: "remember", argument: fact };
  const shell = /^!(?!!)[ \t]{0,20}(\S[^\n]*)$/u.exec(line.trimEnd())?.[1];
  if (shell !== undefined) return { name: "shell", argument: shell };
  const match = /^\/(\S*)\s*([\s\S]*)$/.exec(line);
  if (match === null) return null;
  return { name: (match[1] ?? "").toLowerCase() || "help", argument: (match[2] ?? "").trim() };
}

/** The command of a name; undefined when there is none. */
export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** The error for an unknown command. */
export function unknownCommand(name: string): CommandOutcome {
  const nearest = nearestCommand(
    name,
    commands.map((command) => command.name),
  );
  const suggestion = nearest === undefined ? "" : ` Did you mean /${nearest}?`;
  return refusalOutcome(
    `There is no command /${clipped(name)}.${suggestion}`,
    "/help lists the commands. To send a message that begins with a slash, put a space before it.",
  );
}

function clipped(name: string): string {
  return name.length > maxNameLength ? `${takeCodePoints(name, maxNameLength)}…` : name;
}
