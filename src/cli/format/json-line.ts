// JSON for programs, which may end up on a terminal all the same.
// Invariant: one line that ends with LF, valid JSON, in which no character is a control or breaks a line.

/** The value as one line. What JSON.stringify leaves bare (DEL, C1, U+2028, U+2029, bidirectional overrides) is escaped. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(bare, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

const bare = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
