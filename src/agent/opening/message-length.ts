// The maximum length of a message's text.
// Invariant: checked before a token is counted or anything is written: counting the tokens of a text takes time in proportion to it.
import { codePointLength } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";

/** In code points: as for a passage, and about as many as the largest windows hold. */
const maxLength = 1_000_000;

/** Throws RequestError `message_too_long`. */
export function requireLength(text: string): void {
  // A code point has one or two units: only what is between is counted.
  if (text.length <= maxLength) return;
  const length = text.length > 2 * maxLength ? null : codePointLength(text);
  if (length !== null && length <= maxLength) return;
  const got = length === null ? "more than 2,000,000" : length.toLocaleString("en-US");
  throw new RequestError(
    "message_too_long",
    `Expected at most 1,000,000 characters for the text of a message, got ${got}. Nothing was written. Load the text as a file of a source.`,
  );
}
