// The error for something that a caller passed: what it names, what was expected, what came, and what to do.
// Invariant: `field` names the argument or the option as the caller wrote it; a message shows the kind of a value, a
// number, or the keys of an object, never a caller's text.
import { ConfigError, DefinitionError, RequestError, type RuntimeError } from "../errors.ts";

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

const maxKeys = 5;

/** Describes a value: `a string`, `the number 5`, `a Promise (await it)`, `an object with the keys a and b`. */
export function describeKind(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value === "function") return isClass(value) ? `the class ${value.name}` : "a function";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value !== "object") return `a ${typeof value}`;
  return describeObject(value);
}

function describeObject(value: object): string {
  if ("then" in value && typeof value.then === "function") return "a Promise (await it)";
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? "an invalid Date" : `a Date of the year ${value.getUTCFullYear()}`;
  }
  const name = nameOfClass(value);
  if (name !== null) return `an instance of ${name}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, maxKeys).map((key) => `\`${key.slice(0, 40).toWellFormed()}\``);
  const rest = keys.length > maxKeys ? ["…"] : [];
  return `an object with ${[...shown, ...rest].join(", ")}`;
}

/** Returns the name of an object's class; null for a plain object. */
function nameOfClass(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null;
  return value.constructor.name || "a class without a name";
}

function isClass(value: unknown): value is { readonly name: string } {
  return typeof value === "function" && /^class\b/u.test(Function.prototype.toString.call(value));
}
