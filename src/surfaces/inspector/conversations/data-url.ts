// The content of a file as a URL, to send it in JSON.

/** Resolves to `data:TYPE;base64,CONTENT`. Throws DOMException for a file that the browser cannot read any more. */
export async function dataUrlOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `data:${file.type || "application/octet-stream"};base64,${btoa(text)}`;
}
