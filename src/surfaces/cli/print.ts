// Writes results, notices and errors, and asks for confirmation before a destructive action.
// Invariant: results go to stdout, notices and questions to stderr. Control sequences in texts are removed. Only the
// answers y and yes confirm; the end of the input and an interruption do not.
import { createInterface } from "node:readline/promises";
import { ConfigError } from "../../base/errors.ts";
import { stripControl } from "../../base/terminal-text.ts";
import { surfaceText } from "../surface-words.ts";
import type { TextPiece } from "../../base/search-view/search-pieces.ts";
import type { CommandCall, Result } from "./command.ts";
import type { World } from "./world.ts";

/** Prints a result for people. Adds a line end if the text has none. */
export function printText(world: World, text: string): void {
  const safe = stripControl(text);
  world.stdout.write(safe.endsWith("\n") ? safe : `${safe}\n`);
}

/** Prints a result for programs: one line of JSON. */
export function printJson(world: World, value: unknown): void {
  world.stdout.write(toJsonLine(value));
}

/**
 * Returns the value as one line of valid JSON that ends with LF and is safe to print on a terminal: escapes the characters that
 * JSON.stringify does not escape (DEL, C1, U+2028, U+2029, bidirectional overrides).
 */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(bare, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

const bare = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Prints a result for people, with the matches of a search highlighted if colours may be used. */
export function printPieces(world: World, pieces: readonly TextPiece[]): void {
  const shown = pieces.map(({ text, isMatch }) => {
    const safe = stripControl(text);
    return isMatch && world.hasColor ? `${matchBegin}${safe}${matchEnd}` : safe;
  });
  world.stdout.write(`${shown.join("")}\n`);
}

/** The sequences that begin and end bold and red, the style of matches in grep. */
const matchBegin = "\u001b[1;31m";
const matchEnd = "\u001b[22;39m";

export function textOf({ text }: Result): string {
  return typeof text === "string" ? text : text.map((piece) => piece.text).join("");
}

export function printResult({ world, line }: CommandCall, { json, text }: Result): void {
  if (line.switches.has("json")) printJson(world, json);
  else if (typeof text === "string") printText(world, text);
  else printPieces(world, text);
}

/** Prints one line on stderr, unless `--quiet` is given. */
export function notice(call: CommandCall, line: string): void {
  if (!call.line.switches.has("quiet")) printError(call.world, line);
}

/** Prints a text as one line on stderr, without secrets of the configuration. */
export function printError(world: World, line: string): void {
  world.stderr.write(`palimpsest: ${oneLine(world, line)}\n`);
}

/** Returns the text on one line, with CLI commands instead of library functions, and without secrets of the configuration. */
export function oneLine({ hide, command }: Pick<World, "hide" | "command">, text: string): string {
  return stripControl(surfaceText(hide(text), "command-line", command))
    .trim()
    .replace(/\s*\n\s*/gu, " ");
}

/** Throws ConfigError without `--yes`. `what` names what the command would delete. */
export function requireYes({ line }: Pick<CommandCall, "line">, what: string): void {
  if (line.switches.has("yes")) return;
  throw new ConfigError(`This would permanently delete ${what}. To confirm, add --yes.`);
}

/** Returns whether the user confirms to delete `what`. Throws ConfigError if there is neither `--yes` nor a terminal. */
export async function isConfirmed(call: Pick<CommandCall, "line" | "world">, what: string): Promise<boolean> {
  if (!call.world.isTerminal) requireYes(call, what);
  return call.line.switches.has("yes") || confirm(call.world, `This would permanently delete ${what}. Do it?`);
}

/** Asks a question on stderr, since stdout is for results. Returns whether the answer is a plain yes. */
export async function confirm({ stdin, stderr, signal }: World, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, terminal: false, signal });
  try {
    stderr.write(`${stripControl(question)} [y/N] `);
    for await (const line of lines) return isYes(line.trim());
    return false;
  } finally {
    lines.close();
  }
}

/** Whether an answer is a plain yes. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?$/iu.test(answer);
}
