// Gathers a client's messages into requests: as many as belong together until an answer is due.
// Invariant: messages of unknown kinds, on which the engine ends itself, never get through.
import type { WireRequest } from "./backend.ts";
import type { ClientMessage } from "./message-reader.ts";
import { survivable } from "./survivable-message.ts";

export interface RequestReader {
  /** The request that this message completes, if it does. Throws RangeError for a message of an unknown kind. */
  read(message: ClientMessage): WireRequest | undefined;
}

// Query, Sync and function call are answered with ReadyForQuery; Flush with what there is.
const ANSWERED = new Set(["Q", "S", "F", "H"]);
const UNANSWERED = new Set(["B", "C", "D", "E", "P", "c", "d", "f"]);

export function createRequestReader(): RequestReader {
  let gathered: Buffer[] = [];
  return {
    read({ type, bytes }) {
      if (!ANSWERED.has(type) && !UNANSWERED.has(type)) throw new RangeError("unexpected kind of message");
      gathered.push(survivable(type, bytes));
      if (!ANSWERED.has(type)) return undefined;
      const request = { bytes: Buffer.concat(gathered), isFlush: type === "H" };
      gathered = [];
      return request;
    },
  };
}
