// Reads exported items, such as conversations or memories, one at a time from a file, a folder, a ZIP or a stream. A
// file is a list, an object with a list, or objects one after another.
// Invariant: an item is in memory only until the next item is requested, for files of any size; items before a fault
// are returned before the error is thrown, and the error names the byte and the item. The beginning of a stream is
// examined first, and then parsed like the rest.
import { JSONParser } from "@streamparser/json";
import { RequestError } from "../../base/errors.ts";
import { importFault } from "../import-fault.ts";
import { type DocumentOptions, findDocuments, type ImportDocument, type ImportSource } from "./find-documents.ts";

export interface ReadImportOptions extends DocumentOptions {
  /** If the file is an object instead of a list: the keys under which the list of items may be. */
  readonly holders: readonly string[];
  /** Called with the bytes that were read so far, and the bytes of all files, if known. */
  readonly onBytes?: (read: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

/** Yields the items. Throws RequestError `import_invalid` for a damaged or unknown file, ConfigError for an unreadable file. */
export async function* readImportFile(source: ImportSource, options: ReadImportOptions): AsyncGenerator<unknown, void> {
  const { documents, close } = await findDocuments(source, options);
  try {
    const sizes = documents.map(({ bytes }) => bytes);
    const total = sizes.some((bytes) => bytes === null)
      ? null
      : sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    let before = 0;
    for (const document of documents) {
      const counted = countedBytes(document, (read) => options.onBytes?.(before + read, total));
      yield* jsonItems(counted.chunks(options.signal), { ...options, name: document.name });
      before += counted.read();
    }
  } finally {
    await close();
  }
}

function countedBytes(document: ImportDocument, onRead: (bytes: number) => void) {
  let read = 0;
  return {
    read: () => read,
    async *chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
      for await (const chunk of document.chunks()) {
        signal?.throwIfAborted();
        if (!ArrayBuffer.isView(chunk)) throw new RequestError("input_invalid", "Expected a stream of bytes.");
        yield chunk;
        read += chunk.byteLength;
        onRead(read);
      }
    },
  };
}

interface JsonItemsOptions {
  /** The name of the file, for error messages. */
  readonly name: string;
  readonly fileName: string;
  readonly holders: readonly string[];
}

/** Yields the items. Throws RequestError `import_invalid`. */
async function* jsonItems(chunks: AsyncIterable<Uint8Array>, options: JsonItemsOptions): AsyncGenerator<unknown, void> {
  const stream = await withHead(chunks);
  try {
    yield* itemsOf(stream, options);
  } finally {
    await stream.close();
  }
}

async function* itemsOf(
  { head, offset, rest }: StreamWithHead,
  options: JsonItemsOptions,
): AsyncGenerator<unknown, void> {
  const { name } = options;
  const parser = createParser(shapeOf(head, options), options.holders);
  let number = 0;
  let bytes = offset;
  for await (const chunk of rest) {
    const fault = parser.write(chunk);
    for (const value of parser.take()) {
      number += 1;
      yield value;
    }
    if (fault !== null) {
      const place = `byte ${grouped(bytes + fault.offset)}, in item ${grouped(number + 1)}`;
      throw importFault(`${name} is not JSON at ${place}`, fault.cause);
    }
    bytes += chunk.byteLength;
  }
  const isComplete = parser.end();
  // Yields a number or literal that ends the text: only the end of the text shows that the number is complete.
  yield* parser.take();
  if (isComplete) return;
  throw importFault(`${name} is incomplete: it ends at byte ${grouped(bytes)}, in item ${grouped(number + 1)}`);
}

/** `list`: a list of items; `held`: an object with a list of items; `row`: objects one after another, or a single one. */
type Shape = "list" | "held" | "row";

function shapeOf(head: string, { name, fileName, holders }: JsonItemsOptions): Shape {
  const text = head.trimStart();
  if (text.startsWith("[")) return "list";
  if (text.startsWith("{")) {
    const [, first = ""] = /^\{\s*"([^"\\]*)"/u.exec(text) ?? [];
    return holders.includes(first) || counts.includes(first) ? "held" : "row";
  }
  throw importFault(`${name} ${problemOf(text, fileName)}`);
}

/** First keys of an object in which a server's API returns a list of items under a later key. */
const counts = ["count", "total", "next", "previous", "page", "relations"];

/** Kinds of files that are not JSON, recognized by their first bytes. */
const otherKinds: readonly (readonly [begins: string, problem: string])[] = [
  ["<", "is a web page, not JSON"],
  ["PK", "is a ZIP: pass its path, or the file inside"],
  ["\u001F\u008B", "is compressed with gzip: unpack it first"],
  ["SQLite format 3", "is an SQLite database, not JSON"],
  ["\u00FF\u00FE", "is not UTF-8 text"],
  ["\u00FE\u00FF", "is not UTF-8 text"],
];

function problemOf(text: string, fileName: string): string {
  const kind = otherKinds.find(([begins]) => text.startsWith(begins));
  const unknown = text.slice(0, 2).includes("\u0000") ? "is not UTF-8 text" : "is not JSON";
  return `${text === "" ? "is empty" : (kind?.[1] ?? unknown)}: expected a file such as ${fileName}`;
}

interface ParserFault {
  /** The byte offset of the fault in the part of the file that was passed to the parser. */
  readonly offset: number;
  readonly cause: unknown;
}

function createParser(shape: Shape, holders: readonly string[]) {
  let items: unknown[] = [];
  let before = 0;
  let lastToken = 0;
  const paths = { list: ["$.*"], held: holders.map((key) => `$.${key}.*`), row: ["$"] }[shape];
  const parser = new JSONParser({ paths, keepStack: false, ...(shape === "row" ? { separator: "" } : {}) });
  parser.onValue = ({ value }) => void items.push(value);
  parser.onToken = ({ offset }) => {
    lastToken = offset;
  };
  return {
    take(): readonly unknown[] {
      const taken = items;
      items = [];
      return taken;
    },
    write(chunk: Uint8Array): ParserFault | null {
      try {
        parser.write(chunk);
        before += chunk.byteLength;
        return null;
      } catch (cause) {
        return { offset: Math.max(0, (offsetOf(cause) ?? lastToken) - before), cause };
      }
    },
    /** Ends the text and returns whether it was complete. */
    end(): boolean {
      try {
        if (!parser.isEnded) parser.end();
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Returns the position that the message of a tokenizer's error contains; null for other errors. */
function offsetOf(error: unknown): number | null {
  const found = error instanceof Error ? /absolute position "(\d+)"/u.exec(error.message) : null;
  return found === null ? null : Number(found[1]);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** Length of the examined beginning, in UTF-16 units. */
const headLength = 1024;

interface StreamWithHead {
  /** The beginning with one character per byte, which is enough to recognize the kind of file. */
  readonly head: string;
  /** Number of bytes of the byte order mark before the text; 0 if there is none. */
  readonly offset: number;
  /** All bytes after `offset`. */
  readonly rest: AsyncIterable<Uint8Array>;
  /** Closes the stream, even if it was not read. */
  close(): Promise<void>;
}

async function withHead(chunks: AsyncIterable<Uint8Array>): Promise<StreamWithHead> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < headLength) {
    const next = await iterator.next();
    if (next.done === true) break;
    first.push(next.value);
    length += next.value.byteLength;
  }
  const whole = Buffer.concat(first);
  const hasMark = whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
  const begin = hasMark ? whole.subarray(3) : whole;
  return {
    head: begin.subarray(0, headLength).toString("latin1"),
    offset: hasMark ? 3 : 0,
    rest: restOf(begin, iterator),
    close: async () => void (await iterator.return?.()),
  };
}

async function* restOf(
  begin: Uint8Array,
  iterator: AsyncIterator<Uint8Array, unknown>,
): AsyncGenerator<Uint8Array, void> {
  yield begin;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
