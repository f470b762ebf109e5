// Reads the little-endian values of a GGUF file's header, in large chunks from the beginning of the file.
// Invariant: reading past the end throws ConfigError, so a length in a damaged file never causes a large allocation.
import { readSync } from "node:fs";
import { ConfigError } from "../../../base/errors.ts";

/** The error for a file that ends too early, or contains an impossible value. */
export function cutOff(path: string): ConfigError {
  return new ConfigError(
    `${path} is truncated or damaged: it ends before the model that its header describes. Download it again, and compare its size.`,
  );
}

/** A file that is open for reading. */
export interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
  /** In bytes. */
  readonly size: number;
}

export interface ByteReader {
  /** Offset of the next read, in bytes. */
  readonly position: () => number;
  readonly uint8: () => number;
  readonly uint32: () => number;
  /** As a number; a value over 2^53 cannot be a size in a file, and throws like reading past the end. */
  readonly uint64: () => number;
  readonly text: () => string;
  readonly skip: (bytes: number) => void;
}

const pieceBytes = 1 << 20;

/** Reads from the open file. Each function throws ConfigError at its end. */
export function createByteReader({ path, descriptor, size }: OpenFile): ByteReader {
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
