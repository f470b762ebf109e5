// Converts the data of tools to forms that every provider accepts: names, ids of calls, schemas of parameters, and arguments of
// past calls.
// Invariant: valid names are unchanged; all texts and keys are storable; arguments are always an object, which contains
// the model's text even if that text was not JSON.
import { createHash } from "node:crypto";
import { isObject, parseJson } from "../../../base/json-values.ts";
import { storableText } from "../../../base/code-points.ts";

/** A schema of an object, with the `properties` that OpenAI requires and without the `$schema` that Gemini refuses. */
export interface WireSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

const wireSchemas = new WeakMap<object, WireSchema>();

/** Returns the schema to send for a tool's parameters, cached: the requests of a conversation have the same tools. */
export function wireSchema(parameters: Readonly<Record<string, unknown>>): WireSchema {
  const known = wireSchemas.get(parameters);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...rest } = parameters;
  const schema: WireSchema = { properties: {}, ...storableValue(rest), type: "object" };
  wireSchemas.set(parameters, schema);
  return schema;
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

// Maximum depth of arguments: far deeper than any schema, and so small that serializing cannot overflow the stack.
const maxDepth = 100;

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

/** Returns a JSON value with lone surrogates and NUL replaced in every text and every key. */
export function storableValue<Value>(value: Value): Value {
  if (typeof value === "string") return storableText(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => storableValue(item)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableValue<unknown>(item)]),
  ) as Value;
}

const maxNameLength = 64;
const maxIdLength = 40;

/** Returns a tool's name that matches `^[a-zA-Z0-9_-]{1,64}$`. Calls in a history may have names that a model invented. */
export function wireToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength) || "unknown_tool";
}

/** Assigns valid and unique ids to the calls of one request. */
export interface CallIds {
  ofCall(callId: string): string;
  /** Returns the id that `ofCall` assigned to the oldest call with this `callId` that has no result yet. */
  ofResult(callId: string): string;
}

/** Creates the ids for one request: some servers use the same ids in every reply, and Anthropic refuses a repeated id. */
export function createCallIds(): CallIds {
  const taken = new Set<string>();
  const waiting = new Map<string, string[]>();
  return {
    ofCall(callId) {
      let id = validId(callId);
      for (let again = 2; taken.has(id); again += 1) id = validId(`${callId}_${again}`);
      taken.add(id);
      waiting.set(callId, [...(waiting.get(callId) ?? []), id]);
      return id;
    },
    ofResult: (callId) => waiting.get(callId)?.shift() ?? validId(callId),
  };
}

function validId(callId: string): string {
  if (callId.length <= maxIdLength && /^[a-zA-Z0-9_-]+$/.test(callId)) return callId;
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, 32)}`;
}
