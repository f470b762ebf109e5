// A door: a wire interface of the server, as its routes and the form of its errors.
// Invariant: a door knows no other door and no store; what it does, it does through a user's runtime.
import type { SentEvent } from "./event-stream.ts";
import type { Fault } from "./fault.ts";
import type { Route } from "./route.ts";

export interface Door {
  /** The beginning of its paths, such as `/api`. */
  readonly path: string;
  readonly routes: readonly Route[];
  /** Returns the body of an error, with its content type. */
  writeFault(fault: Fault, requestId: string): { readonly type: string; readonly body: unknown };
  /** Returns the last event of a stream that failed. */
  faultEvent(fault: Fault, requestId: string): SentEvent;
}
