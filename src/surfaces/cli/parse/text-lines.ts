// Lines of a text that can be read more than once: a file is streamed, standard input is buffered.
// Invariant: lines are valid UTF-8; unreadable input throws a ConfigError with the file and the reason.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import { readInput, readTextFile } from "./read-text.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import type { World } from "../world.ts";

/** Reads the lines from the beginning, without line ends. */
export type TextLines = () => AsyncIterable<string> | Iterable<string>;

/** Maximum length of a line, in UTF-16 units; a longer one indicates another kind of file. */
const maxLineBytes = 16_000_000;

/**
 * The lines of a file, or of standard input for `-`. A regular file is read again each time; other files are buffered in
 * memory.
 */
export async function textLines(path: string, { stdin, signal }: World): Promise<TextLines> {
  if (path === "-") return linesOfText(await readInput(stdin, signal));
  if (!(await isRegular(path))) return linesOfText(await readTextFile(path, "FILE"));
  return () => linesOfFile(path, signal);
}

function linesOfText(text: string): TextLines {
  const lines = text.split(/\r?\n/u);
  return () => lines;
}

async function isRegular(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function* linesOfFile(path: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { signal })) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineBytes)
        throw new ConfigError(`${path}: a line has more than ${maxLineBytes} characters.`);
      for (const line of lines) yield withoutReturn(line);
    }
    rest += decoder.decode();
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof ConfigError ? cause : unreadable(path, cause);
  }
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function unreadable(path: string, cause: unknown): ConfigError {
  return new ConfigError(`Cannot read ${path}: ${reasonOf(cause)}.`, { cause });
}
