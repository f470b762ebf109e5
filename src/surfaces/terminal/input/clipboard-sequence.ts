// Encodes a text as the control sequence that sets the clipboard: OSC 52 (xterm, "Manipulate Selection Data").
// Invariant: the sequence contains the text in base64 only; a text that terminals would truncate is not sent.

/** Maximum bytes of UTF-8: 100,000 characters of base64, the limit of common terminals for one sequence. */
export const maxCopyBytes = 74_994;

/** Returns null for a text that is too long. */
export function clipboardSequence(text: string): string | null {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > maxCopyBytes ? null : `\u001b]52;c;${bytes.toString("base64")}\u0007`;
}
