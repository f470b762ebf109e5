// Makes characters visible that could hide or reorder other text.
// Invariant: pure; all other characters stay unchanged, and the result has no control, bidi or invisible character.

/** C0 and C1 controls except tab and line feed, bidi controls, zero-width characters, and tag characters. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Returns the text with each hidden character as `⟨U+202E⟩`; a carriage return before a line feed is removed. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(hidden, (character) => {
    const number = character.codePointAt(0) ?? 0;
    return `⟨U+${number.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Returns the beginning of the text: at most `length` UTF-16 units, without half of a character at its end. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? length - 1 : length);
}
