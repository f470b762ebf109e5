// The chat without a terminal: sends each input line and prints the reply, until the input ends.
import { createInterface } from "node:readline";
import { foldTurn, noTurn } from "../../../agent/fold-turn.ts";
import type { CommandCall } from "../command.ts";
import { eventNotices } from "../headless/event-notice.ts";
import { withLater } from "../headless/headless-run.ts";
import { exitCodes } from "../exit-codes.ts";
import { reportFailure } from "../failure.ts";
import { notice, printError, printText } from "../print.ts";
import type { Agent } from "../runtime-records.ts";
import { filesOf } from "../open-agent.ts";
import { judgeTurn } from "../headless/turn-verdict.ts";

/**
 * Sends each line of the input as a message, until the input or `/exit` ends the chat. Skips blank lines, and lines
 * with other slash commands, which it reports on stderr. Returns the last failed line's exit code, or 0, or 130 if
 * the chat was interrupted.
 */
export async function runPlainChat(call: CommandCall, agent: Agent): Promise<number> {
  const { stdin, signal } = call.world;
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, terminal: false, signal });
  let exitCode: number = exitCodes.done;
  // Files of the command line are attached to the first message.
  let files = filesOf(call);
  try {
    for await (const line of lines) {
      if (signal.aborted || line.trim() === "/exit") break;
      if (line.trim() === "") continue;
      const command = await commandIn(line);
      if (command !== null) {
        printError(call.world, notInPlainChat(command));
        exitCode = exitCodes.usage;
        continue;
      }
      const code = await takeTurn(call, agent, { text: line, files });
      files = [];
      if (code !== exitCodes.done) exitCode = code;
    }
  } finally {
    lines.close();
  }
  return signal.aborted ? exitCodes.interrupted : exitCode;
}

/** Returns the name of the slash command in a line; null for a message, such as a text that begins with a path. */
async function commandIn(line: string): Promise<string | null> {
  if (!line.startsWith("/")) return null;
  const { findCommand, parseCommand } = await import("../../terminal/commands/registry.ts");
  return findCommand(parseCommand(line)?.name ?? "")?.name ?? null;
}

function notInPlainChat(command: string): string {
  return `/${command} works only in the terminal chat and was not sent. \`palimpsest --help\` lists the shell commands; to send the line as a message, put a space before it.`;
}

/** Runs a turn and prints its reply at the end: if a model call is retried, text that was written to a pipe cannot be removed. */
async function takeTurn(
  call: CommandCall,
  agent: Agent,
  { text, files }: { readonly text: string; readonly files: ReturnType<typeof filesOf> },
): Promise<number> {
  const { signal } = call.world;
  let turn = noTurn;
  try {
    for await (const event of withLater(call, agent, { events: agent.send(text, { signal, files }), signal })) {
      ({ turn } = foldTurn(turn, event));
      for (const line of eventNotices(event)) notice(call, line);
    }
  } catch (error) {
    return reportFailure(call.world, error);
  }
  const verdict = judgeTurn(turn);
  const reply = turn.end?.text ?? "";
  if (reply.trim() !== "") printText(call.world, reply);
  if (verdict.message !== undefined) printError(call.world, verdict.message);
  return verdict.exitCode;
}
