// The content of a stored file as a response.
// Invariant: whatever the content is, a browser that opens the address runs, shows and guesses nothing: it is a download.

/** What a route with the output `bytes` returns. A class, so that no JSON value is mistaken for one. */
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

/** The types that are sent: pictures without code, of which SVG is none, plain text, and bytes. */
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
      // The name of RFC 6266; a client that does not know it has its own.
      "content-disposition": `attachment; filename*=UTF-8''${encoded(name)}`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    },
  });
}

/** Only a type that a browser renders without code; every text is plain text. */
function contentTypeOf(mediaType: string): string {
  const [type = ""] = mediaType.toLowerCase().split(";");
  if (type.startsWith("text/")) return "text/plain; charset=utf-8";
  return downloadFormats.find((each) => each === type) ?? "application/octet-stream";
}

/** Also the characters that RFC 8187 does not allow, and no half of a character pair, which cannot be encoded. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
