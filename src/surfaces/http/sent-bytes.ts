// Builds a response with the content of a stored file.
// Invariant: a browser that opens the address downloads the content. It does not run or show the content, and does not
// guess its type.

/** The result of a route with the output `bytes`. A class, so that it differs from every JSON value. */
export class SentBytes {
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;

  constructor({ name, mediaType, data }: Pick<SentBytes, "name" | "mediaType" | "data">) {
    this.name = name;
    this.mediaType = mediaType;
    this.data = data;
  }
}

/** The media types of responses: images that cannot contain code (not SVG), plain text, and bytes. */
export const downloadFormats = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "text/plain",
  "application/octet-stream",
] as const;

export function bytesResponse({ name, mediaType, data }: SentBytes): Response {
  return new Response(new Uint8Array(data), {
    headers: {
      "content-type": contentTypeOf(mediaType),
      // The file's name in the form of RFC 6266; a client that does not support this form chooses its own name.
      "content-disposition": `attachment; filename*=UTF-8''${encoded(name)}`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    },
  });
}

/**
 * Returns a media type that a browser renders without code: `text/plain` for every text, otherwise one of `downloadFormats`.
 */
function contentTypeOf(mediaType: string): string {
  const [type = ""] = mediaType.toLowerCase().split(";");
  if (type.startsWith("text/")) return "text/plain; charset=utf-8";
  return downloadFormats.find((each) => each === type) ?? "application/octet-stream";
}

/**
 * Percent-encodes a name, including the characters that RFC 8187 does not allow. A lone surrogate, which cannot be encoded, is
 * replaced.
 */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
