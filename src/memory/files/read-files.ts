// Reads the files that a program attaches, from a path or from memory, with the facts about each file.
// Invariant: nothing is written, and nothing is fetched; a file that cannot be attached is refused with an error that
// names it.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../../base/system-error.ts";
import { RequestError } from "../../base/errors.ts";
import { type FileMetadata, type FileInput, sizeText } from "../../base/message/file-part.ts";
import { safeFileName } from "./file-name.ts";
import { linkedFile } from "./linked-file.ts";
import { recognizeFile } from "./recognize-file.ts";

export interface FileLimits {
  /** Maximum bytes of one file. */
  readonly fileBytes: number;
  /** Maximum bytes of all files of one message. */
  readonly messageBytes: number;
}

/** A file with its content, or one that stays at its URL. */
export type FileRead =
  | { readonly facts: FileMetadata; readonly data: Uint8Array }
  | { readonly facts: FileMetadata; readonly url: string };

/**
 * Throws RequestError `file_unreadable`, `file_invalid` or `file_too_large` for the first file that cannot be attached.
 */
export async function readFiles(inputs: readonly FileInput[], limits: FileLimits): Promise<readonly FileRead[]> {
  const files: FileRead[] = [];
  let room = limits.messageBytes;
  for (const input of inputs) {
    const file = "url" in input ? linkedFile(input) : await readOne(input, { limits, room });
    if ("data" in file) room -= file.data.byteLength;
    files.push(file);
  }
  return files;
}

interface Room {
  readonly limits: FileLimits;
  /** Remaining bytes of the message's maximum. */
  readonly room: number;
}

async function readOne(input: Exclude<FileInput, { url: string }>, room: Room): Promise<FileRead> {
  const shown = safeFileName("path" in input ? input.path : input.name);
  const data = "path" in input ? await readPath(input.path, shown, room) : input.data;
  if (!(data instanceof Uint8Array)) {
    throw new RequestError("file_invalid", `${shown}: expected \`data\` to be a Uint8Array, got ${typeof data}.`);
  }
  checkSize(shown, data.byteLength, room);
  const name = safeFileName("path" in input ? (input.name ?? path.basename(input.path)) : input.name);
  const claimed = "data" in input ? input.mediaType : undefined;
  return { facts: await recognizeFile(data, { name, claimed }), data };
}

async function readPath(file: string, shown: string, room: Room): Promise<Uint8Array> {
  const found = await stat(file).catch((cause: unknown) => {
    throw unreadable(shown, cause);
  });
  if (found.isDirectory()) throw notAFile(shown, "it is a folder: name a file in it");
  // Reading a pipe or a device might never end.
  if (!found.isFile()) throw notAFile(shown, "it is not a regular file");
  checkSize(shown, found.size, room);
  return readFile(file).catch((cause: unknown) => {
    throw unreadable(shown, cause);
  });
}

function checkSize(shown: string, bytes: number, { limits, room }: Room): void {
  if (bytes === 0) throw notAFile(shown, "it is empty");
  if (bytes > limits.fileBytes) {
    throw new RequestError(
      "file_too_large",
      `${shown} has ${sizeText(bytes)}, and the maximum is ${sizeText(limits.fileBytes)}. Send a smaller one, or raise maxFileMegabytes.`,
    );
  }
  if (bytes > room) {
    throw new RequestError(
      "file_too_large",
      `The maximum for all files of a message is ${sizeText(limits.messageBytes)}, and ${shown} exceeds it. Send them in several messages, or raise maxMessageMegabytes.`,
    );
  }
}

function unreadable(shown: string, cause: unknown): RequestError {
  return notAFile(shown, reasonOf(cause), cause);
}

function notAFile(shown: string, reason: string, cause?: unknown): RequestError {
  return new RequestError("file_unreadable", `${shown} cannot be attached: ${reason}. Nothing was sent.`, { cause });
}
