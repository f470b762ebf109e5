// Checks the arguments of calls: single checks, functions that apply a table of checks to a call or to options, and the
// error for an invalid argument, which states the field, the expected value, the actual value and what to do.
// Invariant: pure; `field` names the argument or the option as the caller wrote it; an error message shows the kind of
// a value, a number, or the keys of an object, never a caller's text. A table of checks that lacks an argument or
// option of the function does not compile. A call with invalid arguments runs nothing: it throws or rejects.
import { acceptedTimes, isAcceptedTime } from "../calendar.ts";
import { nearestName } from "../nearest-name.ts";
import { type RuntimeError, ConfigError, DefinitionError, inputInvalid, RequestError } from "../errors.ts";

/** The argument or option whose value is checked, as error messages name it. */
export interface ArgumentPlace {
  readonly of: ArgumentOf;
  /** The called function, as error messages name it: `agent.send`. */
  readonly call: string;
  /** The argument's name, or the path of an option. */
  readonly field: string;
  /** Whether the value is a whole argument, not an option. If so, messages name its options `limit`, not `options.limit`. */
  readonly isArgument?: boolean;
}

/** Checks a value. For an invalid value, throws the error that `argumentError` returns. */
export type ArgumentCheck = (value: unknown, place: ArgumentPlace) => void;

type NamedCheck = readonly [name: string, check: ArgumentCheck];

interface CallCheck<Arguments extends readonly NamedCheck[] = readonly NamedCheck[]> {
  /** How the call fails: `at-once` throws, `later` returns a rejected promise. */
  readonly fails: "at-once" | "later";
  readonly args: Arguments;
}

type NamedChecks<Parameters extends readonly unknown[]> = {
  readonly [Index in keyof Required<Parameters>]: NamedCheck;
};

/** The checks of an object's functions: an entry for each function that has parameters. */
export type CallChecks<Target> = {
  readonly [Key in keyof Target as Target[Key] extends () => unknown
    ? Parameters<Target[Key]> extends readonly []
      ? never
      : Key
    : Target[Key] extends (...args: never[]) => unknown
      ? Key
      : never]: Target[Key] extends (...args: infer Args) => infer Result
    ? Result extends Promise<unknown>
      ? { readonly fails: "later"; readonly args: NamedChecks<Args> }
      : { readonly fails: "at-once"; readonly args: NamedChecks<Args> }
    : never;
};

export function later<const Args extends readonly NamedCheck[]>(...args: Args): { fails: "later"; args: Args } {
  return { fails: "later", args };
}

export function atOnce<const Args extends readonly NamedCheck[]>(...args: Args): { fails: "at-once"; args: Args } {
  return { fails: "at-once", args };
}

/** Returns a copy of the object whose functions check their arguments first. Error messages call the object `name`. */
export function withCheckedCalls<Target extends object>(
  target: Target,
  name: string,
  checks: CallChecks<Target>,
): Target {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(target);
  for (const [key, check] of Object.entries<CallCheck>(checks as Readonly<Record<string, CallCheck>>)) {
    const run = properties[key]?.value as (...args: readonly unknown[]) => unknown;
    properties[key] = { ...properties[key], value: checkedCall(run, `${name}.${key}`, check) };
  }
  return Object.defineProperties({}, properties) as Target;
}

function checkedCall(run: (...args: readonly unknown[]) => unknown, call: string, { fails, args: checks }: CallCheck) {
  return (...args: readonly unknown[]): unknown => {
    try {
      for (const [index, [field, check]] of checks.entries()) {
        check(args[index], { of: "request", call, field, isArgument: true });
      }
    } catch (error) {
      if (fails === "at-once") throw error;
      return Promise.reject(error as Error);
    }
    return run(...args);
  };
}

/** Returns a check that passes a value if `accepts` returns true. `expected` completes the message "expected `field` to be". */
export function checkThat(expected: string, accepts: (value: unknown) => boolean, remedy?: string): ArgumentCheck {
  return (value, place) => {
    if (accepts(value)) return;
    throw argumentError(place.of, { ...place, expected, got: value, ...(remedy === undefined ? {} : { remedy }) });
  };
}

export const anything: ArgumentCheck = () => undefined;

const isText = (value: unknown): boolean => typeof value === "string";

export const text = checkThat("a string", isText);

export function textOr(remedy: string): ArgumentCheck {
  return checkThat("a string", isText, remedy);
}

/** Returns a check that passes a string, and an object that has `key` and passes `check`. */
export function textOrWith(key: string, check: ArgumentCheck, remedy: string): ArgumentCheck {
  const isTextOr = textOr(remedy);
  return (value, place) => (isPlainObject(value) && Object.hasOwn(value, key) ? check : isTextOr)(value, place);
}

export const number = checkThat("a number", (value) => typeof value === "number" && !Number.isNaN(value));

export function whole(min: number, max: number): ArgumentCheck {
  const accepts = (value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
  // `toLocaleString` is not used, because its first call in a process takes 3 ms.
  const shownMax = String(max).replace(/\B(?=(?:\d{3})+$)/gu, ",");
  return checkThat(`a whole number from ${min} to ${shownMax}`, accepts);
}

/** Checks the maximum number of items that a call returns: a whole number from 1. */
export const count = whole(1, 1_000_000);

/** Checks a whole number from 0 that fits into an `integer` column. */
export const ordinal = whole(0, 2 ** 31 - 1);

export const flag = checkThat("true or false", (value) => typeof value === "boolean");

export const callback = checkThat("a function", (value) => typeof value === "function");

export const date = checkThat(`a Date with ${acceptedTimes}`, isDate, "Convert it: new Date(…).");

export const record = checkThat("a plain object", isPlainObject);

export const signal = checkThat("an AbortSignal", isSignal, "Pass the `signal` of an AbortController.");

export function oneOf<Value extends string>(...values: readonly Value[]): ArgumentCheck {
  const expected = values.map((value) => `"${value}"`).join(" or ");
  return checkThat(expected, (value) => values.some((known) => known === value));
}

export function optional(check: ArgumentCheck): ArgumentCheck {
  return (value, place) => {
    if (value !== undefined) check(value, place);
  };
}

export function nullable(check: ArgumentCheck): ArgumentCheck {
  return (value, place) => {
    if (value !== null) check(value, place);
  };
}

/** Returns a check that passes an array whose items all pass `check`. */
export function list(check: ArgumentCheck, remedy?: string): ArgumentCheck {
  const isList = checkThat("an array", Array.isArray, remedy);
  return (value, place) => {
    isList(value, place);
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      check(item, { of: place.of, call: place.call, field: `${place.field}[${index}]` });
    }
  };
}

/** Option names that other libraries use, each with a text that says what to use here instead. */
export type OtherNames = Readonly<Record<string, string>>;

export interface OptionsForm {
  readonly otherNames?: OtherNames;
}

/** Returns a check of an object of options. `checks` has an entry for each option. An absent option is checked as undefined. */
export function options<Options extends object>(
  checks: { readonly [Key in keyof Required<Options>]: ArgumentCheck },
  { otherNames = {} }: OptionsForm = {},
): ArgumentCheck {
  const known = { keys: Object.keys(checks), otherNames };
  return (value, place) => {
    if (!isPlainObject(value)) throw argumentError(place.of, { ...place, expected: formOf(known.keys), got: value });
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(checks, key)) throw unknownOption(key, place, known);
    }
    for (const [key, check] of Object.entries<ArgumentCheck>(checks)) {
      check(value[key], { of: place.of, call: place.call, field: pathOf(key, place) });
    }
  };
}

function formOf(keys: readonly string[]): string {
  return keys.length === 0 ? "an empty object" : `an object with ${listed(keys)}`;
}

function pathOf(key: string, { field, isArgument = false }: ArgumentPlace): string {
  return isArgument ? key : `${field}.${key}`;
}

interface KnownOptions extends Required<OptionsForm> {
  readonly keys: readonly string[];
}

function unknownOption(key: string, place: ArgumentPlace, { keys, otherNames }: KnownOptions): RuntimeError {
  const path = pathOf(key, place);
  const near = nearestName(key, keys);
  const meant = near === undefined ? `Expected one of ${listed(keys)}.` : `Did you mean \`${near}\`?`;
  const advice = Object.hasOwn(otherNames, key) ? otherNames[key] : meant;
  return faultOf(place.of, path, `${place.call}: unknown option \`${path}\`. ${advice}`);
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(", ");
}

/** Returns whether the value is a plain object, such as `{}`; true also for a plain object of another realm. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Date]" && isAcceptedTime(value as Date);
}

function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

/** Throws RequestError `input_invalid` unless the value is a whole number of at least `min`. */
export function requireCount(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw inputInvalid(`Expected \`${name}\` to be a whole number of at least ${min}, got ${value}.`);
}

/** The kind of call that an argument belongs to, which decides the class and the code of the error. */
export type ArgumentOf = "configuration" | "request" | "tool" | "memory";

export interface ArgumentFault {
  /** The called function, as error messages name it: `defineTool`. */
  readonly call: string;
  /** The path of the argument or option: `tools.add[0]`. */
  readonly field: string;
  /** Completes "expected …". */
  readonly expected: string;
  readonly got: unknown;
  /** One sentence that says what to do. */
  readonly remedy?: string;
}

export function argumentError(of: ArgumentOf, { call, field, expected, got, remedy }: ArgumentFault): RuntimeError {
  const advice = remedy === undefined ? "" : ` ${remedy}`;
  return faultOf(of, field, `${call}: expected \`${field}\` to be ${expected}, got ${describeKind(got)}.${advice}`);
}

/** Returns the error for an invalid argument, with this message and cause. */
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
