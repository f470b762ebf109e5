// Determines the type of a file by its content, whatever its name is.
// Invariant: a file accepted as an image can be opened as one; a name that contradicts the content is refused.
import { RequestError } from "../../base/errors.ts";
import type { FileMetadata } from "../../base/message/file-part.ts";
import { extensionOf } from "./file-name.ts";
import { imageSize } from "./image-size.ts";
import { hasSignature, kindOfMediaType, promisedType, textType } from "./media-kind.ts";
import { countPdfPages } from "./pdf-pages.ts";
import { readSeconds } from "./seconds.ts";

export interface FileClaim {
  readonly name: string;
  /** The media type that the program gave. */
  readonly claimed: string | undefined;
}

const unknownType = "application/octet-stream";

/** Throws RequestError `file_invalid` for a damaged image, and for content that contradicts the claimed type. */
export async function recognizeFile(data: Uint8Array, { name, claimed }: FileClaim): Promise<FileMetadata> {
  const mediaType = await mediaTypeOf(data, name);
  const promised =
    claimed ?? (mediaType === unknownType || isPlain(mediaType) ? promisedType(extensionOf(name)) : undefined);
  if (promised !== undefined && !fits(promised, mediaType)) throw mismatch(name, promised, mediaType);
  const kind = kindOfMediaType(mediaType);
  const facts = { kind, mediaType, name, bytes: data.byteLength };
  if (kind === "image") return { ...facts, ...imageSize(data, { name, mediaType }) };
  if (mediaType === "application/pdf") return { ...facts, ...known("pages", countPdfPages(data)) };
  return kind === "audio" || kind === "video" ? { ...facts, ...known("seconds", readSeconds(data, mediaType)) } : facts;
}

async function mediaTypeOf(data: Uint8Array, name: string): Promise<string> {
  // Before signatures are checked: two letters of a text can look like one, such as the BM of a bitmap.
  if (!startsWith(data, "%PDF-") && isReadable(data)) return textType(extensionOf(name));
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(data))?.mime ?? unknownType;
}

/** Whether it is UTF-8 with no control characters other than those of text files. */
function isReadable(data: Uint8Array): boolean {
  try {
    // oxlint-disable-next-line no-control-regex -- these characters are the target of the search
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/u.test(new TextDecoder("utf-8", { fatal: true }).decode(data));
  } catch {
    return false;
  }
}

function startsWith(data: Uint8Array, text: string): boolean {
  return Buffer.from(data.buffer, data.byteOffset, Math.min(text.length, data.byteLength)).toString("latin1") === text;
}

function isPlain(mediaType: string): boolean {
  return mediaType.startsWith("text/");
}

/** Types have several names: an x- prefix, and variants of text. Types without a signature are accepted as claimed. */
function fits(promised: string, found: string): boolean {
  const [one, other] = [normalized(promised), normalized(found)];
  if (one === other || one === unknownType) return true;
  if (isPlain(found)) return one.startsWith("text/") || /[/+](?:json|xml|yaml|javascript|x-sh)$/u.test(one);
  return found === unknownType && !hasSignature(one);
}

const otherNames: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
};

function normalized(mediaType: string): string {
  const bare = mediaType.toLowerCase().replace(/;.*$/u, "").trim().replace("/x-", "/");
  return Object.hasOwn(otherNames, bare) ? (otherNames[bare] as string) : bare;
}

function mismatch(name: string, promised: string, found: string): RequestError {
  const actual = found === unknownType ? "content of another type, or damaged content" : found;
  return new RequestError(
    "file_invalid",
    `${name}: expected ${promised}, got ${actual}. Nothing was sent. Send the right file, or correct its name or type.`,
  );
}

function known<Key extends string>(key: Key, value: number | null): { readonly [Name in Key]?: number } {
  return (value === null ? {} : { [key]: value }) as { readonly [Name in Key]?: number };
}
