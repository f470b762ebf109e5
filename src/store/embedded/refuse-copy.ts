// Replaces statements that would crash PGlite with one that fails with an explanation.
// Invariant: the error is raised in the backend itself, so the client's transaction fails as with any other error.
import { queryMessage, wireMessage } from "./wire-message.ts";

// COPY FROM STDIN reads more input in the middle of a statement; PGlite 0.5.14 has none and exits.
const COPY_FROM_STDIN = /(?:^|;)\s*copy\s[^;]*\sfrom\s+stdin\b/iu;
const REFUSAL =
  "do $$ begin raise exception using errcode = '0A000', " +
  "message = 'COPY FROM STDIN is not possible on the embedded engine: use INSERT'; end $$";

/** Returns the message unchanged, or one that raises an error in the backend. */
export function refuseCopy(type: string, bytes: Buffer): Buffer {
  if (type === "Q" && COPY_FROM_STDIN.test(bytes.toString("latin1", 5))) return queryMessage(REFUSAL);
  if (type !== "P") return bytes;
  const nameEnd = bytes.indexOf(0, 5);
  if (nameEnd === -1 || !COPY_FROM_STDIN.test(bytes.toString("latin1", nameEnd + 1))) return bytes;
  const name = bytes.subarray(5, nameEnd + 1);
  return wireMessage("P", Buffer.concat([name, Buffer.from(`${REFUSAL}\0`), Buffer.from([0, 0])]));
}
