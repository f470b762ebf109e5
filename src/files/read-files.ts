// Reads what a program wants to attach: from a path or from memory, with all that is known of each file.
// Invariant: nothing is written anywhere, and nothing is fetched; what cannot be attached is refused with an error that names it.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../base/error-message.ts";
import { RequestError } from "../errors.ts";
import { type FileMetadata, type FileInput, sizeText } from "../message/file-part.ts";
import { safeFileName } from "./file-name.ts";
import { linkedFile } from "./linked-file.ts";
import { recognizeFile } from "./recognize-file.ts";

export interface FileLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files of one message. */
  readonly messageBytes: number;
}

/** A file with its content, or one that stays where it is. */
export type FileRead =
  | { readonly facts: FileMetadata; readonly data: Uint8Array }
  | { readonly facts: FileMetadata; readonly url: string };

/** Throws RequestError `file_unreadable`, `file_invalid` or `file_too_large` for the first that cannot be attached. */
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
  /** Bytes that are left of the message's. */
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
  // A pipe or a device could be read for ever.
  if (!found.isFile()) throw notAFile(shown, "it is no regular file");
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
      `${shown} has ${sizeText(bytes)}, and a file may have ${sizeText(limits.fileBytes)}. Send a smaller one, or set maxFileMegabytes.`,
    );
  }
  if (bytes > room) {
    throw new RequestError(
      "file_too_large",
      `The files of a message may have ${sizeText(limits.messageBytes)} together, and with ${shown} they have more. Send them in several messages, or set maxMessageMegabytes.`,
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is no folder",
  EACCES: "it may not be read by this user",
  EPERM: "it may not be read by this user",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its path is too long",
  ERR_INVALID_ARG_VALUE: "its path holds a NUL character",
};

function unreadable(shown: string, cause: unknown): RequestError {
  const code = (cause as { readonly code?: unknown }).code;
  return notAFile(shown, reasons[String(code)] ?? messageOf(cause), cause);
}

function notAFile(shown: string, reason: string, cause?: unknown): RequestError {
  return new RequestError("file_unreadable", `${shown} cannot be attached: ${reason}. Nothing was sent.`, { cause });
}
