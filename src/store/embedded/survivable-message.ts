// Statements that PGlite does not survive are replaced by one that fails with an explanation.
// Invariant: the error arises in the backend itself, so that the client's transaction fails as with any other error.
import { queryMessage, wireMessage } from "./wire-message.ts";

// COPY FROM STDIN asks for more input in the middle of a statement; PGlite 0.5.14 has none to give and exits.
const COPY_FROM_STDIN = /(?:^|;)\s*copy\s[^;]*\sfrom\s+stdin\b/iu;
const REFUSAL =
  "do $$ begin raise exception using errcode = '0A000', " +
  "message = 'COPY FROM STDIN is not possible on the embedded engine: use INSERT'; end $$";

/** The message itself, or one that makes the backend refuse it. */
export function survivable(type: string, bytes: Buffer): Buffer {
  if (type === "Q" && COPY_FROM_STDIN.test(bytes.toString("latin1", 5))) return queryMessage(REFUSAL);
  if (type !== "P") return bytes;
  const nameEnd = bytes.indexOf(0, 5);
  if (nameEnd === -1 || !COPY_FROM_STDIN.test(bytes.toString("latin1", nameEnd + 1))) return bytes;
  const name = bytes.subarray(5, nameEnd + 1);
  return wireMessage("P", Buffer.concat([name, Buffer.from(`${REFUSAL}\0`), Buffer.from([0, 0])]));
}
