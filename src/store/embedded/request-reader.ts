// Groups a client's messages into requests, each ending where an answer is due.
// Invariant: messages of unknown kinds, which crash the engine, are never forwarded.
import type { WireRequest } from "./backend.ts";
import type { ClientMessage } from "./message-reader.ts";
import { refuseCopy } from "./refuse-copy.ts";

export interface RequestReader {
  /** Returns the request that this message completes, if any. Throws RangeError for a message of an unknown kind. */
  read(message: ClientMessage): WireRequest | undefined;
}

// Query, Sync and function call are answered with ReadyForQuery; Flush with the output so far.
const ANSWERED = new Set(["Q", "S", "F", "H"]);
const UNANSWERED = new Set(["B", "C", "D", "E", "P", "c", "d", "f"]);

export function createRequestReader(): RequestReader {
  let pieces: Buffer[] = [];
  return {
    read({ type, bytes }) {
      if (!ANSWERED.has(type) && !UNANSWERED.has(type)) throw new RangeError("unexpected kind of message");
      pieces.push(refuseCopy(type, bytes));
      if (!ANSWERED.has(type)) return undefined;
      const request = { bytes: Buffer.concat(pieces), isFlush: type === "H" };
      pieces = [];
      return request;
    },
  };
}
