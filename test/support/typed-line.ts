// Runs a slash command as the chat does, and reads what it shows.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { TextFiles } from "../../src/tui/chat-session.ts";
import type { CommandEffect, CommandOutcome } from "../../src/tui/commands/command.ts";
import { commands, findCommand, parseCommand, unknownCommand } from "../../src/tui/commands/registry.ts";
import { itemRows } from "../../src/tui/item-rows.ts";
import { rowText, rowWidth } from "../../src/tui/row.ts";
import { type DialogDriver, noDialog } from "./drive-dialog.ts";
import { drain } from "./runtime.ts";

export interface TypedLine {
  readonly text: string;
  readonly effect: CommandEffect | undefined;
}

export interface TypedPlace {
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly width?: number;
  /** Default: a dialog that is opened throws. */
  readonly dialogs?: Pick<DialogDriver, "open">;
  readonly textFiles?: TextFiles;
  readonly writeClipboard?: (sequence: string) => void;
}

const noDialogs = { open: noDialog };

/** What `line` shows at a width, and what the chat does then. A row that is wider throws. */
export async function typeLine(
  line: string,
  { runtime, agent, width = 99, dialogs = noDialogs, textFiles, writeClipboard }: TypedPlace,
): Promise<TypedLine> {
  const { name, argument } = parseCommand(line)!;
  const command = findCommand(name);
  const outcome: CommandOutcome =
    command === undefined
      ? unknownCommand(name)
      : await command.run({
          runtime,
          agent,
          argument,
          files: [],
          ...(textFiles === undefined ? {} : { textFiles }),
          ...(writeClipboard === undefined ? {} : { writeClipboard }),
          open: (dialog) => dialogs.open(dialog),
          commands,
          now: () => new Date(),
          signal: new AbortController().signal,
        });
  const rows = outcome.items.flatMap((item) => itemRows(item, width));
  const wide = rows.find((row) => rowWidth(row) > width);
  if (wide !== undefined) throw new Error(`Wider than ${width}: ${rowText(wide)}`);
  return { text: rows.map(rowText).join("\n"), effect: outcome.effect };
}

/** The same, with the turn run that it asks for. */
export async function typeToEnd(line: string, at: TypedPlace): Promise<TypedLine> {
  const typed = await typeLine(line, at);
  if (typed.effect?.type === "turn") await drain(typed.effect.begin({ signal: new AbortController().signal }));
  return typed;
}
