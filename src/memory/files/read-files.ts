// Reads the files that a program attaches, from a path or from memory, and determines the metadata of each file. A file
// at a URL is not read: the provider fetches it.
// Invariant: nothing is written, and nothing is fetched; a file that cannot be attached is refused with an error that names it.
// A URL must use HTTPS and a host that can be public, because the model's server may be in this network.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../../base/thrown-values.ts";
import { RequestError } from "../../base/errors.ts";
import { type FileInput, type FileMetadata, sizeText } from "../../base/message/file-part.ts";
import { isFetchable } from "../../base/public-address.ts";
import { extensionOf, kindOfMediaType, promisedType, safeFileName } from "./media-kind.ts";
import { recognizeFile } from "./recognize-file.ts";

export interface FileLimits {
  /** Maximum bytes of one file. */
  readonly fileBytes: number;
  /** Maximum bytes of all files of one message. */
  readonly messageBytes: number;
}

/** A file with its content, or with its URL. */
export type FileRead =
  | { readonly facts: FileMetadata; readonly data: Uint8Array }
  | { readonly facts: FileMetadata; readonly url: string };

/**
 * Returns the files in the given order. Throws RequestError `file_unreadable`, `file_invalid` or `file_too_large` for the first
 * file that cannot be attached.
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
      `${shown} has ${sizeText(bytes)}, and the maximum is ${sizeText(limits.fileBytes)}. Send a smaller file, or raise maxFileMegabytes.`,
    );
  }
  if (bytes > room) {
    throw new RequestError(
      "file_too_large",
      `With ${shown}, the files of the message exceed the maximum of ${sizeText(limits.messageBytes)}. Send the files in several messages, or raise maxMessageMegabytes.`,
    );
  }
}

function unreadable(shown: string, cause: unknown): RequestError {
  return notAFile(shown, reasonOf(cause), cause);
}

function notAFile(shown: string, reason: string, cause?: unknown): RequestError {
  return new RequestError("file_unreadable", `${shown} cannot be attached: ${reason}. Nothing was sent.`, { cause });
}

const maxLength = 8192;

/** Returns a file by its URL, without fetching it. Throws RequestError `file_invalid` for an invalid or private URL. */
function linkedFile(input: Extract<FileInput, { url: string }>): {
  readonly facts: FileMetadata;
  readonly url: string;
} {
  const address = typeof input.url === "string" && isFetchable(input.url) ? new URL(input.url) : null;
  if (address === null || address.href.length > maxLength) {
    throw new RequestError(
      "file_invalid",
      `Expected the URL of a file at a public host (https://…, without a password, at most ${maxLength} characters), got ${address === null ? "a value that is not such a URL" : `${address.href.length} characters`}. Attach local content as \`data\` or \`path\`.`,
    );
  }
  const last = address.pathname.split("/").at(-1) ?? "";
  const name = safeFileName(input.name ?? (last === "" ? address.hostname : decoded(last)));
  const mediaType = input.mediaType ?? promisedType(extensionOf(last)) ?? "application/octet-stream";
  return { url: address.href, facts: { kind: kindOfMediaType(mediaType), mediaType, name, bytes: null } };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
