// Reads texts from a file named on the command line, or from standard input.
// Invariant: a text is valid UTF-8 with line feeds; unreadable input throws a ConfigError with the file and the reason.
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ConfigError } from "../../../base/errors.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import { inputChunks } from "../headless/input-chunks.ts";

/** A file's text without trailing white space. `flag` is named in the error message. */
export async function readTextFile(path: string, flag: string): Promise<string> {
  try {
    return decode(await readFile(path)).trimEnd();
  } catch (cause) {
    throw new ConfigError(`${flag}: cannot read ${path}: ${reasonOf(cause)}.`, { cause });
  }
}

/** All of standard input. Rejects with the signal's reason when aborted first. */
export async function readInput(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of inputChunks(stdin, signal)) chunks.push(chunk);
  return decodeInput(Buffer.concat(chunks));
}

function decodeInput(bytes: Buffer): string {
  try {
    return decode(bytes);
  } catch (cause) {
    throw new ConfigError(`Cannot read standard input: ${reasonOf(cause)}.`, { cause });
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
}
