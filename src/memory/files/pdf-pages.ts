// Counts the pages of a PDF without a PDF library, by its page objects, including those in compressed object streams.
// Invariant: never throws; null if they cannot be counted, as in an encrypted file with compressed objects.
import { inflateSync } from "node:zlib";

/** A page object has `/Type /Page`; its parent nodes have `/Pages` (ISO 32000-1, 7.7.3). */
const pageObject = /\/Type\s*\/Page(?![a-z])/gi;
const objectStream = /\/Type\s*\/ObjStm[^]{0,400}?stream\r?\n/g;
/** Maximum decompressed bytes of all streams: bounds the cost of a malicious file. */
const maxInflated = 8_000_000;

export function countPdfPages(data: Uint8Array): number | null {
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
    // A stream with another filter, or one that is encrypted, damaged or too large: its pages are not counted.
    return null;
  }
}
