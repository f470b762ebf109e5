// The arguments of a past tool call as a provider takes them: always a JSON object of well-formed text.
// Invariant: what the model wrote stays visible to it, even when it was not JSON.

/** The arguments as an object; what is not a JSON object becomes `{ "malformed_arguments": text }`. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text.trim() === "" ? "{}" : text);
  return isObject(value) && !nestsDeeper(value, deepest)
    ? wellFormed(value)
    : { malformed_arguments: text.toWellFormed() };
}

/** The same as JSON text; kept byte for byte when it is fine, so that a cached prefix stays one. */
export function argumentsText(text: string): string {
  const fine = text.isWellFormed() && !/\\ud/i.test(text) && isObject(parseJson(text));
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

// JSON escapes can spell lone surrogates, which providers refuse.
function wellFormed<Value>(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed() as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item)) as Value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  ) as Value;
}
