// Converts the JSON of tools for providers: the schemas of parameters, and the arguments of past calls.
// Invariant: all texts and keys are storable; arguments are always an object, which contains the model's text even if that
// text was not JSON.
import { storableText } from "../../../base/code-points.ts";

/** A schema of an object, with the `properties` that OpenAI requires and without the `$schema` that Gemini refuses. */
export interface WireSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** Returns the schema to send for a tool's parameters. */
export function wireSchema(parameters: Readonly<Record<string, unknown>>): WireSchema {
  const { $schema: _dialect, ...rest } = parameters;
  return { properties: {}, ...storableValue(rest), type: "object" };
}

/** Returns the arguments as an object; text that is not a JSON object becomes `{ "malformed_arguments": text }`. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text.trim() === "" ? "{}" : text);
  return isObject(value) && !nestsDeeper(value, maxDepth)
    ? storableValue(value)
    : { malformed_arguments: storableText(text) };
}

// JSON escapes can encode characters that providers refuse: lone surrogates and NUL.
const suspiciousEscape = /\\u(?:d|0000)/i;

/** Returns the arguments as JSON text; valid text is returned byte for byte, so that a cached prefix stays valid. */
export function argumentsText(text: string): string {
  const fine = storableText(text) === text && !suspiciousEscape.test(text) && isObject(parseJson(text));
  return fine ? text : JSON.stringify(argumentsObject(text));
}

// Far deeper than any schema, and far below the depth at which serializing the request overflows the stack.
const maxDepth = 100;

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces lone surrogates and NUL in every text and every key of a JSON value. */
export function storableValue<Value>(value: Value): Value {
  if (typeof value === "string") return storableText(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => storableValue(item)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableValue<unknown>(item)]),
  ) as Value;
}
