// Reads the encoding that an HTML file declares in its head.

// HTML standard, 4.2.5.4: the declaration is within the first 1,024 bytes.
const headBytes = 1024;

/** `windows-1252` of `<meta charset=windows-1252>` and its older form; undefined without one. */
export function htmlCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(headBytes, bytes.byteLength)).toString("latin1");
  return /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/iu.exec(head)?.[1];
}
