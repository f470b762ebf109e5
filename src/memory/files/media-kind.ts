// Derives the kind of a file from its media type, the expected type from its extension, and a name that is safe to
// show, store and send.
import { codePointLength, storableText, takeCodePoints } from "../../base/code-points.ts";
import type { FileKind } from "../../base/message/file-part.ts";

/** Media types of documents other than text. */
const documentTypes = /^application\/(?:pdf|rtf|msword|epub\+zip|vnd\.(?:ms-|oasis\.|openxmlformats-)|x-cfb)/;

export function kindOfMediaType(mediaType: string): FileKind {
  if (mediaType.startsWith("image/")) return "image";
  if (mediaType.startsWith("audio/")) return "audio";
  if (mediaType.startsWith("video/")) return "video";
  return mediaType.startsWith("text/") || documentTypes.test(mediaType) ? "document" : "custom";
}

/** Media types by extension, for formats with a signature: content without the signature is of another type. */
const promisedTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
};

/** Returns the media type that an extension implies, if its format has a signature; otherwise undefined. */
export function promisedType(extension: string): string | undefined {
  return Object.hasOwn(promisedTypes, extension) ? promisedTypes[extension] : undefined;
}

/** Returns whether content of this type is always recognized by its signature. */
export function hasSignature(mediaType: string): boolean {
  return Object.values(promisedTypes).includes(mediaType);
}

const textTypes: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  htm: "text/html",
};

export function textType(extension: string): string {
  return (Object.hasOwn(textTypes, extension) ? textTypes[extension] : undefined) ?? "text/plain";
}

const maxCodePoints = 255;
// Controls (C0, DEL, C1), line and paragraph separators, and characters that change the direction of text.
const unsafe = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Replaces forbidden characters with U+FFFD; a name that is too long keeps its beginning and its extension. */
export function safeFileName(name: string): string {
  const safe = storableText(name).replaceAll(unsafe, "\uFFFD").trim();
  if (safe === "") return "file";
  if (codePointLength(safe) <= maxCodePoints) return safe;
  const extension = /\.[^.]{1,16}$/u.exec(safe)?.[0] ?? "";
  return `${takeCodePoints(safe, maxCodePoints - codePointLength(extension) - 1)}…${extension}`;
}

/** Returns the name's extension in lower case without its dot; empty if it has none. */
export function extensionOf(name: string): string {
  return /\.([a-z\d]{1,8})$/iu.exec(name)?.[1]?.toLowerCase() ?? "";
}
