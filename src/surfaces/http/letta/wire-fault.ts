// Defines the faults that have their own body in Letta's API, and schemas that refuse parameters.
// Invariant: the bodies are the same as in Letta, because clients distinguish faults by their bodies. A parameter that
// would change the result or the effect of a request is never silently ignored.
import * as z from "zod";
import type { ErrorCode } from "../../../base/errors.ts";
import { Fault, type ServerCode } from "../fault.ts";

/** A fault with a JSON body of its own, which is not made from the message. */
export class WireFault extends Fault {
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: ErrorCode | ServerCode,
    body: Readonly<Record<string, unknown>>,
    more: { readonly message?: string; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    const { message = String(body["detail"]), ...others } = more;
    super(status, code, message, others);
    this.body = body;
  }
}

/** Returns the fault for an argument that has the right form but cannot be used. */
export function invalidArgument(field: string, message: string): Fault {
  return new Fault(400, "input_invalid", `INVALID_ARGUMENT: ${message}`, { fields: [{ field, message }] });
}

/** The schema of a parameter that this server does not have: accepts only null, or no value. */
export const unserved = z.null({ error: "Expected no value: this server does not have this parameter." }).optional();
