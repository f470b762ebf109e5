// Validates a typed key. A key is sent in a header, which allows only visible ASCII.

/** Returns the fault without quoting the text; null for a possible key. */
export function faultOfKey(text: string): string | null {
  if (text.length > 1000) return `Expected a key of at most 1000 characters, got ${text.length}. Copy it again.`;
  if (/^[\x21-\x7e]+$/u.test(text)) return null;
  return "Expected a key of letters, digits and signs, got other characters (not shown). Copy it again.";
}
