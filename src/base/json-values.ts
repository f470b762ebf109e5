// Reads JSON that another program or a model wrote, without throwing, and recognizes objects and structured texts.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether the value is an object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the object of a JSON text; undefined if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Returns the object or list in a JSON text, which must not be changed line by line; undefined for any other text. */
export function parseStructure(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : undefined;
}
