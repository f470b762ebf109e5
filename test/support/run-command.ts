// Runs a typed slash command, by default on a fake agent and runtime, and reads what it shows.
// Invariant: none of its dialogs is seen by a screen; keys are those of the driver that is given.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { QueuedFile } from "../../src/surfaces/terminal/chat-session.ts";
import type { CommandContext, CommandOutcome } from "../../src/surfaces/terminal/commands/command.ts";
import {
  commandTopics,
  findCommand,
  parseCommand,
  unknownCommand,
} from "../../src/surfaces/terminal/commands/registry.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { type DialogDriver, driveDialog } from "./drive-dialog.ts";
import { createFakeAgent, createFakeRuntime } from "./fake-agent.ts";

export const commandTime = new Date("2026-11-21T12:00:00Z");

export interface CommandPlace extends Partial<Omit<CommandContext, "open" | "now" | "argument">> {
  readonly agent?: Agent;
  readonly runtime?: Runtime;
  /** Default: a dialog is closed as soon as it was drawn. */
  readonly dialogs?: Pick<DialogDriver, "open">;
  readonly output?: QueuedFile;
  readonly now?: () => Date;
}

/** What a command line leads to. Throws for one that is no command. */
export async function runCommand(line: string, place: CommandPlace = {}): Promise<CommandOutcome> {
  const typed = parseCommand(line);
  if (typed === null) throw new Error(`"${line}" is no command.`);
  const { agent = createFakeAgent(), runtime = createFakeRuntime(), dialogs = driveDialog([]), ...ports } = place;
  const command = findCommand(typed.name);
  if (command === undefined) return unknownCommand(typed.name);
  return command.run({
    runtime,
    agent,
    program: "palimpsest",
    argument: typed.argument,
    files: [],
    output: null,
    topics: commandTopics,
    open: (dialog, until) => dialogs.open(dialog, until),
    now: () => commandTime,
    signal: new AbortController().signal,
    ...ports,
  });
}

/** What is shown of an outcome, or on a screen, as text. */
export const shownText = ({ items }: Pick<CommandOutcome, "items">, width = 79): string =>
  items
    .flatMap((item) => itemRows(item, width))
    .map(rowText)
    .join("\n");
