// Faults with a body of their own on Letta's wire, and parameters that are refused.
// Invariant: clients tell these faults apart by their bodies, which are Letta's. No parameter that would change what a request
// gets or does is ignored in silence.
import * as z from "zod";
import type { ErrorCode } from "../../../base/errors.ts";
import { Fault, type ServerCode } from "../fault.ts";

/** A fault whose JSON body is not made from its message. */
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

/** Returns a fault of an argument that has the right form and cannot be used. */
export function invalidArgument(field: string, message: string): Fault {
  return new Fault(400, "input_invalid", `INVALID_ARGUMENT: ${message}`, { fields: [{ field, message }] });
}

/** Accepts an absent parameter and null: this server does not have the parameter. */
export const unserved = z.null({ error: "Expected nothing: this server does not have this parameter." }).optional();
