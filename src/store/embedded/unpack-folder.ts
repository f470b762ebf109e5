// Unpacks the database folder that ships with the package: a gzipped tar of folders and files.
// Invariant: only one piece of the archive is in memory at a time. The engine's own loader would copy the whole archive
// several times, and the process would keep that memory.
import { closeSync, createReadStream, mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { StoreError } from "../../base/errors.ts";

/** Size of a tar's blocks in bytes: each header is one block, and contents are padded to whole blocks. */
const blockBytes = 512;

/** Unpacks the archive into a new folder, readable by this user only. Rejects with the error of the file system. */
export async function unpackFolder(archive: string, folder: string): Promise<void> {
  const unzipped = pipeline(createReadStream(archive), createGunzip(), () => undefined);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await unpack(readerOf(unzipped), folder);
  } finally {
    unzipped.destroy();
  }
}

async function unpack(read: Read, folder: string): Promise<void> {
  const header = Buffer.alloc(blockBytes);
  for (;;) {
    let at = 0;
    await read(blockBytes, (piece) => (at += piece.copy(header, at)));
    // A block of zeros ends the archive.
    if (header[0] === 0) return;
    // Fields of a header: name at 0, size in octal digits at 124, type at 156, first part of a long name at 345
    // (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar").
    const file = path.join(folder, textAt(header, 345, 155), textAt(header, 0, 100));
    if (textAt(header, 156, 1) === "5") mkdirSync(file, { recursive: true, mode: 0o700 });
    else await writeFile(read, file, Number.parseInt(textAt(header, 124, 12), 8));
  }
}

async function writeFile(read: Read, name: string, bytes: number): Promise<void> {
  mkdirSync(path.dirname(name), { recursive: true, mode: 0o700 });
  const file = openSync(name, "wx", 0o600);
  try {
    await read(bytes, (piece) => writeFileSync(file, piece));
  } finally {
    closeSync(file);
  }
  await read(-bytes & (blockBytes - 1), () => undefined);
}

function textAt(header: Buffer, from: number, length: number): string {
  return header.toString("utf8", from, from + length).split("\0")[0]!;
}

/** Reads the next `bytes` bytes, and passes them to `use` in pieces. */
type Read = (bytes: number, use: (piece: Buffer) => void) => Promise<void>;

function readerOf(stream: AsyncIterable<Buffer>): Read {
  const pieces = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (bytes, use) => {
    for (let left = bytes; left > 0; ) {
      if (rest.length === 0) {
        const next = await pieces.next();
        if (next.done === true) {
          throw new StoreError(
            "data_folder_invalid",
            "The package's packed database is truncated. Build or install the package again.",
          );
        }
        rest = next.value;
      }
      const piece = rest.subarray(0, left);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      use(piece);
    }
  };
}
