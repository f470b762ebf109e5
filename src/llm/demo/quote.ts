// Text of others as it is quoted in a reply.
// Invariant: a quote is one line and at most 300 characters, and says when it was cut.
import { takeCodePoints } from "../../base/code-points.ts";

const longestQuote = 300;

/** The text on one line, in quotation marks, cut when it is long. */
export function quote(text: string): string {
  return `"${clip(text)}"`;
}

/** The text on one line, cut when it is long. */
export function clip(text: string): string {
  const line = text
    .slice(0, longestQuote * 4)
    .replace(/\s+/g, " ")
    .trim();
  const head = takeCodePoints(line, longestQuote);
  return head.length < line.length || text.length > longestQuote * 4 ? `${head}…` : head;
}
