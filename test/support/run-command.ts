// Runs a typed slash command on a fake agent and runtime, and reads what it shows.
// Invariant: none of its dialogs is seen by a screen; keys are those of the driver that is given.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { CommandOutcome } from "../../src/tui/commands/command.ts";
import { commands, findCommand, parseCommand } from "../../src/tui/commands/registry.ts";
import { itemRows } from "../../src/tui/item-rows.ts";
import { rowText } from "../../src/tui/row.ts";
import { type DialogDriver, driveDialog } from "./drive-dialog.ts";
import { createFakeAgent, createFakeRuntime } from "./fake-agent.ts";

export const commandTime = new Date("2026-11-21T12:00:00Z");

/** What a command line leads to. Throws for one that is no command. */
export async function runCommand(
  line: string,
  {
    agent = createFakeAgent(),
    runtime = createFakeRuntime(),
    dialogs = driveDialog([]),
  }: { readonly agent?: Agent; readonly runtime?: Runtime; readonly dialogs?: DialogDriver } = {},
): Promise<CommandOutcome> {
  const typed = parseCommand(line);
  const command = typed === null ? undefined : findCommand(typed.name);
  if (typed === null || command === undefined) throw new Error(`"${line}" is no command.`);
  return command.run({
    runtime,
    agent,
    argument: typed.argument,
    files: [],
    commands,
    open: (dialog) => dialogs.open(dialog),
    now: () => commandTime,
    signal: new AbortController().signal,
  });
}

/** What is shown of it, as text. */
export function shownText(outcome: CommandOutcome, width = 79): string {
  return outcome.items
    .flatMap((item) => itemRows(item, width))
    .map(rowText)
    .join("\n");
}
