// Describes what a caller passed, for messages.
// Invariant: pure; shows the kind of a value, a number, and the keys of an object, never a text.

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
