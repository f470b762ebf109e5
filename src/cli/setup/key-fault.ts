// What keeps a text from being a key: it is sent in a header, which takes visible ASCII alone.

/** In words without the text; null for what can be one. */
export function faultOfKey(text: string): string | null {
  if (text.length > 1000) return `Expected a key, got ${text.length} characters; no key has over 1000. Copy it again.`;
  if (/^[\x21-\x7e]+$/u.test(text)) return null;
  return "Expected a key: letters, digits and signs without spaces. Something else is in it (not shown); copy it again.";
}
