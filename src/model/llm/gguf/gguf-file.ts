// Reads the header of a GGUF file in large chunks, and derives the context size from it.
// Source: the GGUF specification in github.com/ggml-org/ggml (its gguf.md).
// Invariant: a file that is missing, truncated or not GGUF throws ConfigError. Lengths are checked before memory is
// allocated. The context never exceeds the trained length, beyond which a model produces nonsense without an error.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ConfigError } from "../../../base/errors.ts";
import { reasonOf } from "../../../base/thrown-values.ts";

export interface GgufFile {
  readonly path: string;
  readonly bytes: number;
  /** Maximum tokens of a text in the model's training; null if the file does not specify this number. */
  readonly trainedTokens: number | null;
  /** Memory in bytes per token of context, with 16-bit keys and values; null if the file does not specify the sizes. */
  readonly tokenBytes: number | null;
}

/**
 * Returns the facts in a file's header. Synchronous: reads a few megabytes, because the vocabulary precedes the table of
 * tensors. Throws ConfigError.
 */
export function readGgufFile(path: string): GgufFile {
  const descriptor = open(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new ConfigError(`${path}: expected a GGUF file, got a folder or a device.`);
    return readHead(path, stats.size, createByteReader({ path, descriptor, size: stats.size }));
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw new ConfigError(
      `The model's file ${path} cannot be read: ${reasonOf(cause)}. Expected the path of a GGUF file; a path without a leading / or ~/ is relative to the working folder.`,
      { cause },
    );
  }
}

const magic = "GGUF";

function readHead(path: string, bytes: number, reader: ByteReader): GgufFile {
  if (bytes < magic.length || fourLetters(reader) !== magic) {
    throw new ConfigError(`Expected ${path} to be a GGUF file, but it does not begin with the letters GGUF.`);
  }
  const version = reader.uint32();
  if (version !== 2 && version !== 3) {
    throw new ConfigError(
      `${path}: expected a GGUF file of version 2 or 3, got version ${version}. Convert it again with a current converter.`,
    );
  }
  const tensors = reader.uint64();
  const entries = reader.uint64();
  const metadata = readMetadata(reader, { path, entries });
  requireTensors(reader, { path, tensors, bytes, alignment: numberAt(metadata, "general.alignment") ?? 32 });
  const prefix = String(metadata.get("general.architecture") ?? "");
  const number = (key: string): number | null => numberAt(metadata, `${prefix}.${key}`);
  return { path, bytes, trainedTokens: number("context_length"), tokenBytes: tokenBytesOf(number) };
}

function fourLetters(reader: ByteReader): string {
  return String.fromCharCode(reader.uint8(), reader.uint8(), reader.uint8(), reader.uint8());
}

type Metadata = ReadonlyMap<string, string | number>;

/** Bytes of a metadata value, by its type number in the GGUF specification; only types of a fixed size. */
const fixedBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const uint32Type = 4;
const int32Type = 5;
const textType = 8;
const arrayType = 9;
const uint64Type = 10;

interface Entries {
  readonly path: string;
  readonly entries: number;
}

/** Returns the metadata that are strings or whole numbers; arrays, such as the vocabulary, are skipped. */
function readMetadata(reader: ByteReader, { path, entries }: Entries): Metadata {
  const found = new Map<string, string | number>();
  for (let read = 0; read < entries; read += 1) {
    const key = reader.text();
    const type = reader.uint32();
    if (type === textType) found.set(key, reader.text());
    else if (type === uint32Type || type === int32Type) found.set(key, reader.uint32());
    else if (type === uint64Type) found.set(key, reader.uint64());
    else if (type === arrayType) skipArray(reader, path);
    else reader.skip(bytesOf(type, path));
  }
  return found;
}

function skipArray(reader: ByteReader, path: string): void {
  const type = reader.uint32();
  const length = reader.uint64();
  if (type !== textType) return reader.skip(bytesOf(type, path) * length);
  for (let read = 0; read < length; read += 1) reader.skip(reader.uint64());
}

function bytesOf(type: number, path: string): number {
  const bytes = fixedBytes[type];
  if (bytes === undefined) throw cutOff(path);
  return bytes;
}

interface Tensors {
  readonly path: string;
  readonly tensors: number;
  readonly bytes: number;
  readonly alignment: number;
}

/** Throws ConfigError unless the last tensor begins inside the file. llama.cpp checks the length when it loads the file. */
function requireTensors(reader: ByteReader, { path, tensors, bytes, alignment }: Tensors): void {
  let last = 0;
  for (let read = 0; read < tensors; read += 1) {
    reader.text();
    reader.skip(reader.uint32() * 8);
    reader.skip(4);
    last = Math.max(last, reader.uint64());
  }
  const start = Math.ceil(reader.position() / alignment) * alignment;
  if (tensors > 0 && start + last >= bytes) throw cutOff(path);
}

function numberAt(metadata: Metadata, key: string): number | null {
  const value = metadata.get(key);
  return typeof value === "number" && value > 0 ? value : null;
}

/** Returns the bytes of one token in the context: keys and values of every layer, two bytes per number. */
function tokenBytesOf(number: (key: string) => number | null): number | null {
  const layers = number("block_count");
  const width = number("embedding_length");
  const heads = number("attention.head_count");
  if (layers === null || width === null || heads === null) return null;
  const keyWidth = number("attention.key_length") ?? width / heads;
  const valueWidth = number("attention.value_length") ?? width / heads;
  return Math.ceil(layers * (number("attention.head_count_kv") ?? heads) * (keyWidth + valueWidth) * 2);
}

/** Returns the error for a file that ends too early, or contains an impossible value. */
function cutOff(path: string): ConfigError {
  return new ConfigError(
    `${path} is truncated or damaged: it does not contain the whole model that its header describes. Download it again, and compare its size.`,
  );
}

interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
  /** The file's size in bytes. */
  readonly size: number;
}

interface ByteReader {
  /** Offset of the next read, in bytes. */
  readonly position: () => number;
  readonly uint8: () => number;
  readonly uint32: () => number;
  /** Reads a 64-bit number. A value over 2^53 cannot be a size in a file, and throws the same error as reading past the end. */
  readonly uint64: () => number;
  readonly text: () => string;
  readonly skip: (bytes: number) => void;
}

const pieceBytes = 1 << 20;

/** Creates a reader of the open file. Each function throws ConfigError at the end of the file. */
function createByteReader({ path, descriptor, size }: OpenFile): ByteReader {
  let piece = Buffer.alloc(0);
  let pieceStart = 0;
  let position = 0;

  const take = (bytes: number): Buffer => {
    requireRoom(bytes);
    if (position < pieceStart || position + bytes > pieceStart + piece.length) {
      const next = Buffer.alloc(Math.min(Math.max(bytes, pieceBytes), size - position));
      let filled = 0;
      while (filled < next.length) {
        const count = readSync(descriptor, next, filled, next.length - filled, position + filled);
        if (count === 0) throw cutOff(path);
        filled += count;
      }
      piece = next;
      pieceStart = position;
    }
    const from = position - pieceStart;
    position += bytes;
    return piece.subarray(from, from + bytes);
  };

  const requireRoom = (bytes: number): void => {
    if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > size - position) throw cutOff(path);
  };

  const uint64 = (): number => {
    const value = Number(take(8).readBigUInt64LE());
    if (!Number.isSafeInteger(value)) throw cutOff(path);
    return value;
  };

  return {
    position: () => position,
    uint8: () => take(1).readUInt8(),
    uint32: () => take(4).readUInt32LE(),
    uint64,
    text: () => take(uint64()).toString("utf8"),
    skip: (bytes) => {
      requireRoom(bytes);
      position += bytes;
    },
  };
}

/** The assumed training length in tokens, for a file that does not specify it. */
const unknownTokens = 8192;
/** Minimum tokens of an automatic context size; llama.cpp reports an error if memory does not suffice for it. */
const minTokens = 4096;
/** A context size that depends on the memory is a multiple of this number of tokens. */
const tokenStep = 256;

interface ContextRequest {
  /** The configured tokens; null for the training length, as far as memory allows. */
  readonly configured: number | null;
  /** Total memory of the machine in bytes. */
  readonly totalMemory: number;
}

/** Returns the context size in tokens. An automatic size keeps model and context within half of the machine's memory. */
export function contextSizeOf(file: GgufFile, { configured, totalMemory }: ContextRequest): number {
  const trained = file.trainedTokens ?? unknownTokens;
  if (configured !== null) return Math.min(configured, file.trainedTokens ?? configured);
  if (file.tokenBytes === null) return Math.min(trained, unknownTokens);
  const room = Math.floor((totalMemory / 2 - file.bytes) / file.tokenBytes / tokenStep) * tokenStep;
  return Math.min(trained, Math.max(room, minTokens));
}
