// The chat where there is no terminal to draw on: a line in, a reply out, until the input ends.
import { createInterface } from "node:readline";
import type { CommandCall } from "../command.ts";
import { eventNotice } from "../headless/event-notice.ts";
import { exitCodes } from "../exit-codes.ts";
import { reportFailure } from "../failure.ts";
import { notice, printError, printText } from "../print.ts";
import type { Agent } from "../runtime-records.ts";
import { filesOf } from "../headless/run-prompt.ts";
import { emptyTurn, recordEvent } from "../headless/turn-record.ts";
import { judgeTurn } from "../headless/turn-verdict.ts";

/**
 * Blank lines are skipped; `/exit` ends it. A line with another command of the terminal's chat is no message: it is told on
 * stderr, and the next one comes. Returns 0, or the exit code of the last line that went wrong.
 */
export async function runPlainChat(call: CommandCall, agent: Agent): Promise<number> {
  const { stdin, signal } = call.world;
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, terminal: false });
  const stop = (): void => lines.close();
  signal.addEventListener("abort", stop, { once: true });
  let exitCode: number = exitCodes.done;
  // Those of the command line go with the first message.
  let files = filesOf(call);
  try {
    for await (const line of lines) {
      if (signal.aborted || line.trim() === "/exit") break;
      if (line.trim() === "") continue;
      const command = await commandIn(line);
      if (command !== null) {
        printError(call.world, onlyInTerminal(command));
        exitCode = exitCodes.usage;
        continue;
      }
      const code = await takeTurn(call, agent, { text: line, files });
      files = [];
      if (code !== exitCodes.done) exitCode = code;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
  return signal.aborted ? exitCodes.interrupted : exitCode;
}

/** The name of the slash command in a line; null for a message, such as one that begins with a path. */
async function commandIn(line: string): Promise<string | null> {
  if (!line.startsWith("/")) return null;
  const { findCommand, parseCommand } = await import("../../tui/commands/registry.ts");
  return findCommand(parseCommand(line)?.name ?? "")?.name ?? null;
}

function onlyInTerminal(command: string): string {
  return `/${command} is a command of the chat in a terminal, and was not sent. \`palimpsest --help\` lists those of the shell; to send the line as a message, put a space before it.`;
}

/** Replies are printed whole: what a retry makes void could not be taken back from a pipe. */
async function takeTurn(
  call: CommandCall,
  agent: Agent,
  { text, files }: { readonly text: string; readonly files: ReturnType<typeof filesOf> },
): Promise<number> {
  let turn = emptyTurn;
  try {
    for await (const event of agent.send(text, { signal: call.world.signal, files })) {
      turn = recordEvent(turn, event, call.world.now());
      const told = eventNotice(event);
      if (told !== undefined) notice(call, told);
    }
  } catch (error) {
    return reportFailure(call.world, error);
  }
  const verdict = judgeTurn(turn);
  if (turn.text.trim() !== "") printText(call.world, turn.text);
  if (verdict.message !== undefined) printError(call.world, verdict.message);
  return verdict.exitCode;
}
