// How a terminal is asked to put a text on the clipboard: OSC 52 (xterm's control sequences, "Manipulate Selection Data").
// Invariant: what is sent holds nothing of the text but base64; a text that terminals would cut is not sent.

/** Bytes of UTF-8. Its base64 has 100,000 characters, the most that widespread terminals take in one sequence. */
export const longestCopy = 74_994;

/** Null for a text that is too long. */
export function clipboardSequence(text: string): string | null {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > longestCopy ? null : `\u001b]52;c;${bytes.toString("base64")}\u0007`;
}
