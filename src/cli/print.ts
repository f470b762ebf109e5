// Everything that is written goes through here.
// Invariant: stdout gets results only, and notices go to stderr; no control sequence from a text reaches either.
import { stripControl } from "../base/terminal-text.ts";
import type { CommandCall } from "./command.ts";
import { toJsonLine } from "./json-line.ts";
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

/** Prints the one or the other, as `--json` says. */
export function printResult(call: CommandCall, result: { readonly json: unknown; readonly text: string }): void {
  if (call.line.switches.has("json")) printJson(call.world, result.json);
  else printText(call.world, result.text);
}

/** One line on stderr, unless `--quiet`. */
export function notice(call: CommandCall, line: string): void {
  if (!call.line.switches.has("quiet")) printError(call.world, line);
}

/** One line on stderr, whatever the text has. */
export function printError(world: World, line: string): void {
  world.stderr.write(
    `palimpsest: ${stripControl(line)
      .trim()
      .replace(/\s*\n\s*/gu, " ")}\n`,
  );
}
