// Reads standard input line by line, and parses the lines of --input-format stream-json.
// Invariant: at most one line of the maximum length is buffered; an invalid line is reported, and reading continues. An error
// states the expected shape and quotes no part of the line.
import { describeKind } from "../../../base/arguments/argument-checks.ts";
import { parseJson } from "../../../base/json-values.ts";
import type { Readable } from "node:stream";
import { type StreamInput, streamInputSchema } from "../../stream/headless/stream-input.ts";
import { inputChunks } from "../parse/read-text.ts";

export interface InputLine {
  /** Line number, from 1. */
  readonly number: number;
  /** The line; null if it cannot be read, for the reason in `problem`. */
  readonly text: string | null;
  readonly problem: string;
}

/** Maximum bytes of a line. */
export const maxLineBytes = 10_000_000;

/** Yields the lines of the input. Text after the last line feed is a line, too. Throws the signal's reason when aborted. */
export async function* readInputLines(stdin: Readable, signal: AbortSignal): AsyncGenerator<InputLine> {
  const line = createLineBuffer();
  for await (const chunk of inputChunks(stdin, signal)) yield* line.take(chunk);
  if (line.isOpen()) yield line.end();
}

const lineFeed = 0x0a;

function createLineBuffer() {
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
    *take(chunk: Buffer): Generator<InputLine> {
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
    return refuse(number, "expected UTF-8, got bytes that are not UTF-8");
  }
}

function refuse(number: number, problem: string): InputLine {
  return { number, text: null, problem };
}

function tooLong(bytes: number): string {
  return `expected at most ${maxLineBytes} bytes, got ${bytes}; send a file by its path, as "files":[{"path":"…"}]`;
}

export type ParsedLine =
  | { readonly type: "input"; readonly input: StreamInput }
  | { readonly type: "refused"; readonly problem: string };

const shapes =
  '{"type":"user","message":{"role":"user","content":"…"}}, {"type":"messages","messages":[{"role":"user","content":"…"}]} or {"type":"control_request","request_id":"…","request":{"subtype":"interrupt"}}';

export function parseInputLine(text: string): ParsedLine {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) {
    return refused(
      `expected a JSON object, ${shapes}, got ${value === undefined ? "a text that is not JSON" : describeKind(value)}`,
    );
  }
  const parsed = streamInputSchema.safeParse(value);
  if (parsed.success) return { type: "input", input: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  // If the type of the line is unknown, no field can be named, so the message lists the expected forms of a line.
  if (place === "type" || place === "")
    return refused(`expected ${shapes}, got another form (${issue?.message ?? "unknown"})`);
  return refused(`${place}: ${issue?.message}`);
}

function refused(problem: string): ParsedLine {
  return { type: "refused", problem };
}
