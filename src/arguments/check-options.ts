// Checks an options object: that it is one, and that each of its keys is an option.
// Invariant: pure; the message for an unknown key names the option that was probably meant, or all options.
import { nearestName } from "../base/nearest-name.ts";
import { type ArgumentOf, argumentError, faultOf } from "./argument-error.ts";

/** Names of options that other libraries use, with the text that says what to use here. */
export type OtherNames = Readonly<Record<string, string>>;

export interface OptionsCheck {
  readonly of: ArgumentOf;
  /** The called function, for messages. */
  readonly call: string;
  /** The name of the argument that the object is; default `options`. */
  readonly argument?: string;
  /** The path of the object in an argument: `tools`. */
  readonly path?: string;
  readonly keys: readonly string[];
  readonly otherNames?: OtherNames;
}

/** Throws for a value that is not an options object, and for its first key that is no option. */
export function checkOptions(value: unknown, check: OptionsCheck): asserts value is Readonly<Record<string, unknown>> {
  const { of, call, path, argument = "options", keys } = check;
  if (!isPlainObject(value)) {
    const expected = keys.length === 0 ? "an empty object" : `an object with ${listed(keys)}`;
    throw argumentError(of, { call, field: path ?? argument, expected, got: value });
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) throw unknownOption(key, check);
  }
}

function unknownOption(key: string, { of, call, path, keys, otherNames = {} }: OptionsCheck) {
  const field = path === undefined ? key : `${path}.${key}`;
  const known = Object.hasOwn(otherNames, key) ? otherNames[key] : undefined;
  const near = nearestName(key, keys);
  const meant = known ?? (near === undefined ? undefined : `Did you mean \`${near}\`?`);
  return faultOf(of, field, `${call}: unknown option \`${field}\`. ${meant ?? `Expected one of ${listed(keys)}.`}`);
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(", ");
}

/** Whether the value is an object that a literal creates, in any realm. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
