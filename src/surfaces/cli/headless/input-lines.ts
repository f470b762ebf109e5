// Reads standard input line by line.
// Invariant: at most one line of the maximum length is buffered; an invalid line is reported, and reading continues.
import type { Readable } from "node:stream";
import { inputChunks } from "./input-chunks.ts";

export interface InputLine {
  /** Line number, from 1. */
  readonly number: number;
  /** Null for an unreadable line, whose reason is in `problem`. */
  readonly text: string | null;
  readonly problem: string;
}

/** Maximum bytes of a line. */
export const maxLineBytes = 10_000_000;

/** Ends with the input; text after the last line feed is a line too. Rejects with the signal's reason when aborted. */
export async function* readInputLines(stdin: Readable, signal: AbortSignal): AsyncGenerator<InputLine> {
  const line = createLineBuffer();
  for await (const chunk of inputChunks(stdin, signal)) yield* line.take(chunk);
  if (line.isOpen()) yield line.end();
}

const lineFeed = 0x0a;

interface LineBuffer {
  take(chunk: Buffer): Generator<InputLine>;
  isOpen(): boolean;
  end(): InputLine;
}

function createLineBuffer(): LineBuffer {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > maxLineBytes) pieces = [];
    else pieces.push(piece);
  };
  const end = (): InputLine => {
    number += 1;
    const line = bytes > maxLineBytes ? refuse(number, tooLong(bytes)) : decode(number, Buffer.concat(pieces));
    pieces = [];
    bytes = 0;
    return line;
  };
  return {
    *take(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        add(chunk.subarray(from, at));
        from = at + 1;
        yield end();
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
    isOpen: () => bytes > 0,
    end,
  };
}

function decode(number: number, content: Buffer): InputLine {
  try {
    return { number, text: new TextDecoder("utf-8", { fatal: true }).decode(content), problem: "" };
  } catch {
    return refuse(number, "expected UTF-8, got other bytes");
  }
}

function refuse(number: number, problem: string): InputLine {
  return { number, text: null, problem };
}

function tooLong(bytes: number): string {
  return `expected at most ${maxLineBytes} bytes, got ${bytes}; send a file by its path, as "files":[{"path":"…"}]`;
}
