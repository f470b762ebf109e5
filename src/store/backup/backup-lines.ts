// Reads the lines of a backup file.
// Invariant: time is linear in the size of the file, and memory is bounded by the maximum length of a line.
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import { invalidBackup } from "./backup-format.ts";

export interface BackupLine {
  /** Line number, from 1. */
  readonly number: number;
  /** The line without its line feed. */
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * Yields the lines of a backup. Throws StoreError `backup_invalid` for a file that cannot be read, is not a gzip file or is
 * damaged, and the same errors as `splitLines`.
 */
export async function* readBackupLines(file: string, maxBytes: number): AsyncGenerator<BackupLine, undefined> {
  const compressed = createReadStream(file);
  const unzipped = createGunzip();
  // An error of either stream ends `unzipped`, and is thrown below.
  pipeline(compressed, unzipped, () => undefined);
  try {
    yield* splitLines(chunksOf(unzipped), maxBytes);
    if (unzipped.bytesWritten !== compressed.bytesRead) {
      throw invalidBackup(
        `expected the file to end after ${unzipped.bytesWritten} bytes of gzip data, got at least ${compressed.bytesRead}`,
      );
    }
  } finally {
    compressed.destroy();
    unzipped.destroy();
  }
}

async function* chunksOf(unzipped: AsyncIterable<unknown>): AsyncGenerator<Buffer, undefined> {
  try {
    for await (const chunk of unzipped) yield chunk as Buffer;
  } catch (cause) {
    throw invalidBackup(causeText(cause), cause);
  }
}

function causeText(cause: unknown): string {
  const code = systemErrorCode(cause);
  if (code === "Z_BUF_ERROR") return "expected a complete gzip file, got a truncated one";
  if (code?.startsWith("Z_") === true) return "expected a gzip file, got another kind of file or a damaged one";
  return `the system reports "${reasonOf(cause)}"`;
}

const lineFeed = 10;

/**
 * Yields the lines of a file. Throws StoreError `backup_invalid`, with the number of the line, for a line that is longer than
 * `maxBytes`, is not UTF-8, or does not end with a line feed. Reads nothing after such a line.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<BackupLine, undefined> {
  const decode = createDecoder();
  let number = 1;
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) throw lineTooLong(number, maxBytes);
    if (piece.length > 0) pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let from = 0;
    // node:readline is not used: it splits lines at U+2028, too, which texts may contain, and has no maximum line length.
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, end));
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length);
      yield { number, bytes, text: decode(number, bytes) };
      number += 1;
      pieces = [];
      length = 0;
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) throw invalidBackup(`line ${number} is truncated: it does not end with a line feed`);
}

function createDecoder(): (number: number, bytes: Buffer) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (number, bytes) => {
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      throw invalidBackup(`line ${number} is not UTF-8`, cause);
    }
  };
}

function lineTooLong(number: number, maxBytes: number): Error {
  return invalidBackup(`line ${number} is longer than ${maxBytes} bytes, the maximum in a backup`);
}
