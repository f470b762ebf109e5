// Reads texts from a word of the command line, a file or standard input.
// Invariant: a text is valid UTF-8 with line feeds; unreadable input throws a ConfigError with the file and the reason. An
// aborted read closes standard input, so that nothing waits for more input.
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ConfigError } from "../../../base/errors.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import type { World } from "../world.ts";

/** Returns the query. Throws ConfigError if it is blank. */
export function queryOf(word: string): string {
  if (word.trim() === "") throw new ConfigError("Expected a query, got an empty text. Write the query in quotes.");
  return word;
}

/** Returns a text for memory: the word itself, or standard input for `-`. */
export async function textOf(word: string, { stdin, signal }: World): Promise<string> {
  return word === "-" ? (await readInput(stdin, signal)).trimEnd() : word;
}

/** Returns the same text as `textOf`. Throws ConfigError if it is blank. */
export async function filledTextOf(word: string, world: World): Promise<string> {
  const text = await textOf(word, world);
  if (text.trim() === "") throw new ConfigError("Expected a text to store, got an empty one.");
  return text;
}

/** Returns a file's text without trailing white space. Throws ConfigError with `flag` in the message. */
export async function readTextFile(path: string, flag: string): Promise<string> {
  try {
    return decode(await readFile(path)).trimEnd();
  } catch (cause) {
    throw new ConfigError(`${flag}: cannot read ${path}: ${reasonOf(cause)}.`, { cause });
  }
}

/** Returns the text of a file, the argument FILE, or all of standard input for `-`. */
export function readText(file: string, { stdin, signal }: Pick<World, "stdin" | "signal">): Promise<string> {
  return file === "-" ? readInput(stdin, signal) : readTextFile(file, "FILE");
}

/** Returns all of standard input. Rejects with the signal's reason if it aborts before the end. */
export async function readInput(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of inputChunks(stdin, signal)) chunks.push(chunk);
  try {
    return decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new ConfigError(`Cannot read standard input: ${reasonOf(cause)}.`, { cause });
  }
}

/** Yields the chunks of standard input. Throws the signal's reason if it aborts before the end. */
export async function* inputChunks(stdin: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const stop = (): void => void stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) yield Buffer.from(chunk);
  } catch (error) {
    // The destroyed stream throws its own error, which the signal's reason replaces.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
}

/** Returns the text of UTF-8 bytes. Throws TypeError for other bytes. */
export function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
}
