// The content of a file as a URL, to send it in JSON.

/** UTF-16 units of a text that is made with one call: more are more arguments than a call can have. */
const chunk = 0x8000;

/** Resolves to `data:TYPE;base64,CONTENT`. Throws DOMException for a file that the browser cannot read any more. */
export async function dataUrlOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)));
  }
  return `data:${file.type || "application/octet-stream"};base64,${btoa(parts.join(""))}`;
}
