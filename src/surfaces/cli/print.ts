// Everything that is written goes through here.
// Invariant: stdout gets results only, and notices go to stderr; no control sequence from a text reaches either.
import { stripControl } from "../../base/terminal-text.ts";
import { surfaceText } from "../surface-words.ts";
import type { TextPiece } from "../../base/search-view/search-pieces.ts";
import type { CommandCall } from "./command.ts";
import { toJsonLine } from "./format/json-line.ts";
import type { World } from "./world.ts";

/** Prints a result for people, with a line end unless it has one. */
export function printText(world: World, text: string): void {
  const safe = stripControl(text);
  world.stdout.write(safe.endsWith("\n") ? safe : `${safe}\n`);
}

/** Prints a result for programs: one line of JSON. */
export function printJson(world: World, value: unknown): void {
  world.stdout.write(toJsonLine(value));
}

/** Prints a result for people whose matches stand out where colours may be used. */
export function printPieces(world: World, pieces: readonly TextPiece[]): void {
  const shown = pieces.map(({ text, isMatch }) => {
    const safe = stripControl(text);
    return isMatch && world.hasColor ? `${matchBegin}${safe}${matchEnd}` : safe;
  });
  world.stdout.write(`${shown.join("")}\n`);
}

/** Bold and red, as grep marks what it has found; then neither. */
const matchBegin = "\u001b[1;31m";
const matchEnd = "\u001b[22;39m";

export interface Result {
  readonly json: unknown;
  readonly text: string | readonly TextPiece[];
}

/** Prints the one or the other, as `--json` says. */
export function printResult({ world, line }: CommandCall, { json, text }: Result): void {
  if (line.switches.has("json")) printJson(world, json);
  else if (typeof text === "string") printText(world, text);
  else printPieces(world, text);
}

/** One line on stderr, unless `--quiet`. */
export function notice(call: CommandCall, line: string): void {
  if (!call.line.switches.has("quiet")) printError(call.world, line);
}

/** One line on stderr, whatever the text has; without the secrets of the configuration. */
export function printError(world: World, line: string): void {
  world.stderr.write(
    `palimpsest: ${stripControl(surfaceText(world.hide(line), "command-line", world.command))
      .trim()
      .replace(/\s*\n\s*/gu, " ")}\n`,
  );
}
