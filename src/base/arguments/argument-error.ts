// The error for something that a caller passed: what it names, what was expected, what came, and what to do.
// Invariant: `field` names the argument or the option as the caller wrote it; no message contains a caller's text.
import { ConfigError, DefinitionError, RequestError, type RuntimeError } from "../errors.ts";
import { describeKind } from "./describe-kind.ts";

/** What the argument belongs to. It decides the error's class and code. */
export type ArgumentOf = "configuration" | "request" | "tool" | "memory";

export interface ArgumentFault {
  /** The called function, for messages: `defineTool`. */
  readonly call: string;
  /** The path of the argument or option: `tools.add[0]`. */
  readonly field: string;
  /** Completes "expected …". */
  readonly expected: string;
  readonly got: unknown;
  /** One sentence that says what to do. */
  readonly remedy?: string;
}

/** Returns the error for a value of the wrong shape. */
export function argumentError(of: ArgumentOf, { call, field, expected, got, remedy }: ArgumentFault): RuntimeError {
  const advice = remedy === undefined ? "" : ` ${remedy}`;
  return faultOf(of, field, `${call}: expected \`${field}\` to be ${expected}, got ${describeKind(got)}.${advice}`);
}

/** Returns the error with the given message, and the error that caused it. */
export function faultOf(of: ArgumentOf, field: string, message: string, cause?: unknown): RuntimeError {
  const facts = { field, ...(cause === undefined ? {} : { cause }) };
  switch (of) {
    case "configuration":
      return new ConfigError(message, facts);
    case "request":
      return new RequestError("input_invalid", message, facts);
    case "tool":
      return new DefinitionError("tool_definition_invalid", message, facts);
    case "memory":
      return new DefinitionError("memory_definition_invalid", message, facts);
  }
}
