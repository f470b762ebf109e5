// Defines a door: an interface of the server, such as `/api`, with its routes and the form of its errors.
// Invariant: a door uses no other door and no store; all its routes use a user's runtime.
import type * as z from "zod";
import type { SentEvent } from "./event-stream.ts";
import type { Fault } from "./fault.ts";
import type { Route } from "./route.ts";

export interface WrittenFault {
  readonly body: unknown;
  readonly status?: number;
}

export interface Door {
  /** The prefix of the door's paths, such as `/api`. */
  readonly path: string;
  readonly routes: readonly Route[];
  /** The path of the OpenAPI document; default `openapi.json` below `path`. */
  readonly documentPath?: string;
  /** The JSON that `health` below `path` returns without a key; default: there is no such path. */
  readonly health?: unknown;
  /** Returns the key in a header that only this door reads; null if there is none. */
  keyOf?(headers: Headers): string | null;
  /** The content type and the schema of errors. */
  readonly faults: { readonly type: string; readonly schema: z.ZodType };
  /** Returns the body of an error, and the status if it differs from the fault's status. */
  writeFault(fault: Fault, requestId: string): WrittenFault;
  /** Returns the last event of a stream that failed. */
  faultEvent(fault: Fault, requestId: string): SentEvent;
}
