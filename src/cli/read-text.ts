// Texts that a person hands over: a file named on the command line, or standard input.
// Invariant: a text is valid UTF-8 with line feeds; what cannot be read is a ConfigError with the place and the reason.
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ConfigError } from "../errors.ts";
import { reasonOf } from "../base/system-error.ts";

/** A file's text without trailing blank space. `flag` names who asked, for the message. */
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
  const stop = (): void => void stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } catch (error) {
    // A stream that is cut off says so in its own words.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
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
