// JSON output for programs, safe to print on a terminal.
// Invariant: one line of valid JSON that ends with LF, without control characters or other line breaks.

/**
 * The value as one line. Also escapes characters that JSON.stringify does not (DEL, C1, U+2028, U+2029, bidirectional
 * overrides).
 */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(bare, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

const bare = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
