// The arguments of a past tool call as a provider takes them: always a JSON object of storable text.
// Invariant: what the model wrote stays visible to it, even when it was not JSON.
import { storableText } from "../../base/code-points.ts";
import { storableValue } from "./storable-value.ts";

/** The arguments as an object; what is not a JSON object becomes `{ "malformed_arguments": text }`. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text.trim() === "" ? "{}" : text);
  return isObject(value) && !nestsDeeper(value, deepest)
    ? storableValue(value)
    : { malformed_arguments: storableText(text) };
}

// Escapes of JSON can spell what providers refuse: lone surrogates and NUL.
const suspiciousEscape = /\\u(?:d|0000)/i;

/** The arguments as JSON text; kept byte for byte when they are fine, so that a cached prefix stays one. */
export function argumentsText(text: string): string {
  const fine = storableText(text) === text && !suspiciousEscape.test(text) && isObject(parseJson(text));
  return fine ? text : JSON.stringify(argumentsObject(text));
}

// Far more than a schema asks for, and far less than overflows the stack when the request is written as JSON.
const deepest = 100;

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
