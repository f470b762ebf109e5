// Determines the type of a file by its content, not by its name, and its size in pixels, pages or seconds.
// Invariant: a file accepted as an image can be opened as one; a name that contradicts the content is refused; pages
// and seconds that cannot be determined cheaply, as in an encrypted PDF with compressed objects, are left out.
import { inflateSync } from "node:zlib";
import { imageSize as readSize } from "image-size";
import { RequestError } from "../../base/errors.ts";
import type { FileMetadata } from "../../base/message/file-part.ts";
import { extensionOf, hasSignature, kindOfMediaType, promisedType, textType } from "./media-kind.ts";

export interface FileClaim {
  readonly name: string;
  /** The media type that the program gave. */
  readonly claimed: string | undefined;
}

const unknownType = "application/octet-stream";

/**
 * Returns the metadata of a file. Throws RequestError `file_invalid` for a damaged image, and for content that contradicts the
 * claimed type.
 */
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
  // Text is recognized before signatures: its first letters can look like a signature, such as the BM of a bitmap.
  if (!startsWith(data, "%PDF-") && isReadable(data)) return textType(extensionOf(name));
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(data))?.mime ?? unknownType;
}

/** Returns whether data is UTF-8 without control characters other than those of text files. */
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

/**
 * Returns whether content of the type `found` agrees with the claimed type. A type can have several names, for example
 * with an x- prefix. If the content is not recognized, a claimed type without a signature is accepted.
 */
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

interface PixelSize {
  readonly width?: number;
  readonly height?: number;
}

interface Named {
  readonly name: string;
  readonly mediaType: string;
}

/**
 * Returns the size of an image in pixels. Throws RequestError `file_invalid` for a truncated image and for an
 * unreadable header.
 */
function imageSize(data: Uint8Array, { name, mediaType }: Named): PixelSize {
  if (isCutOff(data, mediaType)) throw damaged(name, mediaType, "it is truncated");
  try {
    const { width, height, orientation = 1 } = readSize(data);
    if (!(width > 0 && height > 0)) throw new RangeError(`${width}×${height}`);
    // Orientations from 5 on are rotated by 90 degrees (EXIF 2.3, tag 274).
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch (cause) {
    // No model accepts an image format that is missing in `ends`, so nothing needs the size of such an image.
    if (!(mediaType in ends)) return {};
    throw damaged(name, mediaType, "its size cannot be read", cause);
  }
}

/** By media type: returns whether an image contains its format's end marker; data after the marker is allowed. */
const ends: Readonly<Record<string, (data: Buffer) => boolean>> = {
  "image/png": (data) => data.includes("IEND", 8, "latin1"),
  "image/jpeg": (data) => data.lastIndexOf(Buffer.from([0xff, 0xd9])) > data.lastIndexOf(Buffer.from([0xff, 0xda])),
  "image/gif": (data) => data.lastIndexOf(0x3b) > 12,
  "image/webp": (data) => data.length >= 12 && data.readUInt32LE(4) + 8 <= data.length,
};

function isCutOff(data: Uint8Array, mediaType: string): boolean {
  const isComplete = ends[mediaType];
  return isComplete !== undefined && !isComplete(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
}

function damaged(name: string, mediaType: string, why: string, cause?: unknown): RequestError {
  return new RequestError("file_invalid", `${name} is a damaged image (${mediaType}): ${why}. Nothing was sent.`, {
    cause,
  });
}

/** A page object has `/Type /Page`; its parent nodes have `/Pages` (ISO 32000-1, 7.7.3). */
const pageObject = /\/Type\s*\/Page(?![a-z])/gi;
const objectStream = /\/Type\s*\/ObjStm[^]{0,400}?stream\r?\n/g;
/** Maximum decompressed bytes of all streams: bounds the cost of a malicious file. */
const maxInflated = 8_000_000;

function countPdfPages(data: Uint8Array): number | null {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
  let pages = text.match(pageObject)?.length ?? 0;
  let room = maxInflated;
  for (const { 0: head, index } of text.matchAll(objectStream)) {
    const start = index + head.length;
    const end = text.indexOf("endstream", start);
    const inflated = inflate(data.subarray(start, end < 0 ? data.length : end), room);
    if (inflated === null) continue;
    room -= inflated.length;
    pages += inflated.match(pageObject)?.length ?? 0;
  }
  return pages === 0 ? null : pages;
}

function inflate(stream: Uint8Array, max: number): string | null {
  try {
    return inflateSync(stream, { maxOutputLength: Math.max(1, max) }).toString("latin1");
  } catch {
    // The pages of a stream are not counted if it has another filter, or is encrypted, damaged or too large.
    return null;
  }
}

/**
 * Returns the duration in seconds of WAV, MP4 and related formats, and of MP3 (an estimate unless its bit rate is constant);
 * null if unknown.
 */
function readSeconds(data: Uint8Array, mediaType: string): number | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const seconds = secondsOf(bytes, mediaType);
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 10) / 10 : null;
}

function secondsOf(bytes: Buffer, mediaType: string): number | null {
  if (/wav/u.test(mediaType)) return wavSeconds(bytes);
  if (/mp4|m4a|quicktime/u.test(mediaType)) return movieSeconds(bytes);
  return mediaType === "audio/mpeg" ? mp3Seconds(bytes) : null;
}

/**
 * Returns the seconds: the bytes of the data chunk divided by the bytes per second, both from the header. A streaming
 * length (0 or all ones) means the rest of the file.
 */
function wavSeconds(bytes: Buffer): number | null {
  const format = bytes.indexOf("fmt ", 12, "latin1");
  const data = bytes.indexOf("data", 12, "latin1");
  if (format < 0 || data < 0 || format + 20 > bytes.length || data + 8 > bytes.length) return null;
  const rest = bytes.length - data - 8;
  const length = bytes.readUInt32LE(data + 4);
  return Math.min(length === 0 ? rest : length, rest) / bytes.readUInt32LE(format + 16);
}

/** Returns the seconds: duration divided by time scale, from the movie header (`mvhd`, ISO 14496-12, 8.2.2). */
function movieSeconds(bytes: Buffer): number | null {
  const at = bytes.indexOf("mvhd", 0, "latin1");
  if (at < 0 || at + 36 > bytes.length) return null;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  return (isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20)) / scale;
}

// Kilobits per second by the index in a frame header (ISO 11172-3, layer III); the second row is for MPEG-2.
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;

/** Returns the seconds: the bits after the tag, divided by the bit rate of the first frame; null without a frame. */
function mp3Seconds(bytes: Buffer): number | null {
  const start = bytes.toString("latin1", 0, 3) === "ID3" ? 10 + syncSafe(bytes) : 0;
  const end = Math.min(bytes.length - 3, start + 65_536);
  for (let at = start; at < end; at += 1) {
    // A frame begins with eleven 1 bits (frame sync), and its layer is III.
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2) continue;
    const row = (bytes[at + 1]! & 0x18) === 0x18 ? 0 : 1;
    const rate = bitRates[row][bytes[at + 2]! >> 4] ?? 0;
    if (rate > 0) return ((bytes.length - at) * 8) / (rate * 1000);
  }
  return null;
}

/** Returns the length of an ID3v2 tag in bytes, from four bytes with seven bits each. */
function syncSafe(bytes: Buffer): number {
  return [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0);
}
