// Runs a slash command on a real agent as the chat does, and reads what it shows.
// Invariant: no row is wider than the screen; a dialog that nobody expects is an error.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { CommandEffect } from "../../src/surfaces/terminal/commands/command.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { noDialog } from "./drive-dialog.ts";
import { type CommandPlace, runCommand } from "./run-command.ts";
import { drain } from "./runtime.ts";

export interface TypedLine {
  readonly text: string;
  readonly effect: CommandEffect | undefined;
}

export interface TypedPlace extends Omit<CommandPlace, "now"> {
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly width?: number;
}

/** What `line` shows at a width, and what the chat does then. A row that is wider throws. */
export async function typeLine(line: string, { width = 99, ...place }: TypedPlace): Promise<TypedLine> {
  const outcome = await runCommand(line, { dialogs: { open: noDialog }, now: () => new Date(), ...place });
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
